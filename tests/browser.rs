//! Opens the page of a report in a real browser and looks at what came of it.
//!
//! The lack of Chromium is a failure: otherwise nobody would notice that nothing is tested any more.
//! `GPUSUDOKU_SKIP_BROWSER_TESTS=1` skips this, and `GPUSUDOKU_CHROMIUM` names a browser.
#![cfg(feature = "cli")]

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// Goes into the place of the policy that forbids scripts, in a copy of the page. Errors are collected from the
/// start; everything is measured once the page is laid out.
const PROBE: &str = r#"<script>
const problems = [];
addEventListener('error', e => problems.push(String(e.message || (e.target && e.target.outerHTML))), true);
addEventListener('securitypolicyviolation', e => problems.push('policy: ' + e.violatedDirective));
addEventListener('load', () => {
  const figures = [...document.querySelectorAll('figure')].map(figure => ({
    id: figure.id,
    caption: figure.querySelector('figcaption').innerText.length,
    panels: [...figure.querySelectorAll('.panels svg')].map(svg => {
      const box = svg.getBoundingClientRect();
      const texts = [...svg.querySelectorAll('text')];
      const inside = text => {
        const it = text.getBoundingClientRect();
        return it.width > 0 && it.left >= box.left - 1 && it.right <= box.right + 1
          && it.top >= box.top - 1 && it.bottom <= box.bottom + 1;
      };
      return {
        width: box.width, height: box.height, texts: texts.length,
        shapes: svg.querySelectorAll('polyline, polygon, circle, line').length,
        outside: texts.filter(text => !inside(text)).map(text => text.textContent.trim()),
      };
    }),
  }));
  const loaded = performance.getEntriesByType('resource').map(it => it.name);
  const root = document.documentElement;
  const measured = { problems, figures, loaded, overflow: root.scrollWidth - root.clientWidth };
  const out = document.createElement('pre');
  out.id = 'measured';
  out.textContent = encodeURI(JSON.stringify(measured));
  document.body.append(out);
});
</script>"#;

fn chromium() -> Option<PathBuf> {
    let named = std::env::var_os("GPUSUDOKU_CHROMIUM").map(PathBuf::from);
    if named.is_some() {
        return named;
    }
    let path = std::env::var_os("PATH")?;
    let names = ["chromium", "chromium-browser", "google-chrome"];
    std::env::split_paths(&path)
        .flat_map(|folder| names.map(|name| folder.join(name)))
        .find(|program| program.is_file())
}

fn wanted() -> bool {
    let skip = std::env::var_os("GPUSUDOKU_SKIP_BROWSER_TESTS").is_some_and(|it| it == "1");
    if skip {
        eprintln!("skipped: GPUSUDOKU_SKIP_BROWSER_TESTS is set");
    }
    !skip
}

/// A browser without a window that keeps to itself and to this folder.
fn headless(browser: &Path, folder: &Path) -> Command {
    let mut command = Command::new(browser);
    command
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
        ])
        .args(["--no-first-run", "--disable-background-networking"])
        .args([
            "--disable-component-update",
            "--disable-sync",
            "--disable-dev-shm-usage",
        ])
        .arg(format!(
            "--user-data-dir={}",
            folder.join("profile").display()
        ));
    command
}

/// What the probe finds on a page in a window that is no wider than a phone's.
fn measure(browser: &Path, folder: &Path, page: &str) -> Value {
    let policy = page
        .find("<meta http-equiv=\"Content-Security-Policy\"")
        .unwrap();
    let end = policy + page[policy..].find('>').unwrap() + 1;
    let probed = format!("{}{PROBE}{}", &page[..policy], &page[end..]);
    let file = folder.join("probed.html");
    std::fs::write(&file, probed).unwrap();
    let output = headless(browser, folder)
        .arg("--window-size=420,900")
        .arg("--dump-dom")
        .arg(format!("file://{}", file.display()))
        .output()
        .unwrap();
    let dom = String::from_utf8(output.stdout).unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    let found = dom.split("<pre id=\"measured\">").nth(1);
    let found = found.unwrap_or_else(|| panic!("the page was not measured: {errors}"));
    serde_json::from_str(&decoded(found.split("</pre>").next().unwrap())).unwrap()
}

/// Undoes JavaScript's `encodeURI`, and what HTML does to an ampersand.
fn decoded(text: &str) -> String {
    let text = text.replace("&amp;", "&");
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let (byte, left) = match (first, after) {
            (b'%', [high, low, after @ ..]) => {
                let digits = [*high, *low];
                let digits = std::str::from_utf8(&digits).unwrap();
                (u8::from_str_radix(digits, 16).unwrap(), after)
            }
            _ => (first, after),
        };
        bytes.push(byte);
        rest = left;
    }
    String::from_utf8(bytes).unwrap()
}

/// How many sheets a page takes when it is printed, and how many bytes.
fn print(browser: &Path, folder: &Path, page: &str) -> (usize, usize) {
    let [file, pdf] = ["printed.html", "printed.pdf"].map(|name| folder.join(name));
    std::fs::write(&file, page).unwrap();
    let output = headless(browser, folder)
        .arg("--no-pdf-header-footer")
        .arg(format!("--print-to-pdf={}", pdf.display()))
        .arg(format!("file://{}", file.display()))
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    let pdf = std::fs::read(&pdf).unwrap_or_else(|error| panic!("{error}: {errors}"));
    let text = String::from_utf8_lossy(&pdf);
    let sheets = text.matches("/Type /Page\n").count();
    assert!(sheets > 0, "no sheet in the PDF");
    (sheets, pdf.len())
}

fn required() -> PathBuf {
    chromium().expect(
        "no Chromium: install chromium and fonts-dejavu-core, name one with GPUSUDOKU_CHROMIUM, or \
         set GPUSUDOKU_SKIP_BROWSER_TESTS=1",
    )
}

/// Long tables are folded on the screen; nobody can unfold them on paper.
#[test]
fn a_printed_page_has_its_folded_tables() {
    if !wanted() {
        return;
    }
    let browser = required();
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("results.jsonl");
    let algos: Vec<String> = (0..12).map(|elite| format!("lsga:elite={elite}")).collect();
    let status = Command::new(env!("CARGO_BIN_EXE_gpusudoku"))
        .args(["compare", "--algo", &algos.join(",")])
        .args(["--problem", "easy-1,easy-11,sd3", "--runs", "1"])
        .args(["--pop", "5", "--budget", "generations=2", "--quiet"])
        .arg("--out")
        .arg(&out)
        .output()
        .unwrap()
        .status;
    assert!(status.success());
    let page = std::fs::read_to_string(out.with_extension("html")).unwrap();
    assert!(page.contains("<details>"), "no table is folded");
    let printed = |page: &str| print(&browser, folder.path(), page);
    let (sheets, bytes) = printed(&page);
    let (unfolded, bytes_unfolded) = printed(&page.replace("<details>", "<details open>"));
    let (folded, bytes_folded) = printed(&page.replace("::details-content", "::nothing"));
    assert_eq!(sheets, unfolded);
    assert!(folded < sheets, "{folded} sheets with folded tables");
    // The texts as well, to the few bytes that a mark on the fold makes.
    assert!(
        bytes.abs_diff(bytes_unfolded) < 1000,
        "{bytes} {bytes_unfolded}"
    );
    assert!(bytes_folded + 10_000 < bytes, "{bytes_folded} {bytes}");
}

#[test]
fn a_browser_shows_every_figure_of_a_page() {
    if !wanted() {
        return;
    }
    let browser = required();
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("results.jsonl");
    let status = Command::new(env!("CARGO_BIN_EXE_gpusudoku"))
        .args([
            "compare",
            "--algo",
            "lsga:pop=30,nb-coin,tabu:propagate=none:moves=50",
        ])
        .args(["--problem", "easy-1,easy-11,medium-27"])
        .args([
            "--runs",
            "4",
            "--budget",
            "generations=40",
            "--quiet",
            "--out",
        ])
        .arg(&out)
        .output()
        .unwrap()
        .status;
    assert!(status.success());
    let page = std::fs::read_to_string(out.with_extension("html")).unwrap();
    let measured = measure(&browser, folder.path(), &page);

    assert_eq!(measured["problems"], serde_json::json!([]), "errors");
    assert_eq!(measured["loaded"], serde_json::json!([]), "requests");
    assert_eq!(measured["overflow"], 0, "the page is wider than its window");
    let figures = measured["figures"].as_array().unwrap();
    let ids: Vec<_> = figures
        .iter()
        .map(|it| it["id"].as_str().unwrap())
        .collect();
    let all = [
        "convergence",
        "boxes",
        "givens",
        "ecdf-evaluations",
        "ecdf-seconds",
        "throughput",
    ];
    assert_eq!(ids, all);
    for figure in figures {
        assert!(figure["caption"].as_u64().unwrap() > 20, "{figure}");
        let panels = figure["panels"].as_array().unwrap();
        assert!(!panels.is_empty(), "{figure}");
        for panel in panels {
            assert!(panel["width"].as_f64().unwrap() > 200.0, "{figure}");
            assert!(panel["height"].as_f64().unwrap() > 120.0, "{figure}");
            assert!(panel["texts"].as_u64().unwrap() > 4, "{figure}");
            assert!(panel["shapes"].as_u64().unwrap() > 4, "{figure}");
            assert_eq!(
                panel["outside"],
                serde_json::json!([]),
                "texts that are cut off"
            );
        }
    }
}
