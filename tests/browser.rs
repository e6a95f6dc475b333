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

/// What the probe finds on a page in a window that is no wider than a phone's.
fn measure(browser: &Path, folder: &Path, page: &str) -> Value {
    let policy = page
        .find("<meta http-equiv=\"Content-Security-Policy\"")
        .unwrap();
    let end = policy + page[policy..].find('>').unwrap() + 1;
    let probed = format!("{}{PROBE}{}", &page[..policy], &page[end..]);
    let file = folder.join("probed.html");
    std::fs::write(&file, probed).unwrap();
    let output = Command::new(browser)
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
        .arg("--window-size=420,900")
        .arg(format!(
            "--user-data-dir={}",
            folder.join("profile").display()
        ))
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

#[test]
fn a_browser_shows_every_figure_of_a_page() {
    if !wanted() {
        return;
    }
    let browser = chromium().expect(
        "no Chromium: install chromium and fonts-dejavu-core, name one with GPUSUDOKU_CHROMIUM, or \
         set GPUSUDOKU_SKIP_BROWSER_TESTS=1",
    );
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("results.jsonl");
    let status = Command::new(env!("CARGO_BIN_EXE_gpusudoku"))
        .args([
            "compare",
            "--algo",
            "lsga:pop=30,nb-coin,memetic:propagate=none:moves=50",
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
