// Chromium, a static server for web/dist, and a page that fails its test if anything is wrong with it.

import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { delimiter, dirname, extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

import { chromium } from "playwright-core";

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const DIST = join(ROOT, "web", "dist");
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm", ".svg": "image/svg+xml" };

/** WebGPU on a software adapter, in a browser that keeps to itself. */
const FLAGS = [
  "--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
  "--disable-sync", "--disable-dev-shm-usage",
];
const WEBGPU = ["--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader", "--enable-features=Vulkan"];

function program() {
  const names = ["chromium", "chromium-browser", "google-chrome"];
  const folders = (process.env.PATH ?? "").split(delimiter);
  const found = folders.flatMap((folder) => names.map((name) => join(folder, name))).find(existsSync);
  const chosen = process.env.GPUSUDOKU_CHROMIUM ?? found;
  assert.ok(chosen, "no Chromium: install it, name one with GPUSUDOKU_CHROMIUM, or set GPUSUDOKU_SKIP_BROWSER_TESTS=1");
  return chosen;
}

/** What a careful server adds to the policy of the page: it holds for workers too. */
const POLICY =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; style-src 'self'; " +
  "img-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

function serve(types = TYPES) {
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, "http://x").pathname));
    const file = join(DIST, path === "/" ? "index.html" : path);
    if (!file.startsWith(DIST) || !existsSync(file)) {
      response.writeHead(404).end();
      return;
    }
    const type = types[extname(file)] ?? "application/octet-stream";
    response.writeHead(200, { "content-type": type, "content-security-policy": POLICY, "x-content-type-options": "nosniff" });
    response.end(readFileSync(file));
  });
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
}

/** A browser and a server. `webgpu: false` is a browser without WebGPU; `types` are those that the server knows. */
export async function open({ webgpu = true, types } = {}) {
  assert.ok(existsSync(join(DIST, "index.html")), "no web/dist: run web/build.sh first");
  const server = await serve(types);
  const origin = `http://127.0.0.1:${server.address().port}`;
  const profile = mkdtempSync(join(tmpdir(), "gpusudoku-"));
  const browser = await chromium.launchPersistentContext(profile, {
    executablePath: program(),
    args: [...FLAGS, ...(webgpu ? WEBGPU : ["--disable-features=WebGPU,WebGPUService"])],
    viewport: { width: 1200, height: 900 },
    acceptDownloads: true,
  });
  return {
    origin,
    /** From now on nobody answers. */
    hangUp() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
    browser,
    /** A page, with all that went wrong in it. */
    async page(search = "", { width, height, scheme } = {}) {
      const page = await browser.newPage();
      const wrong = [];
      page.on("console", (message) => message.type() === "error" && wrong.push(`console: ${message.text()}`));
      page.on("pageerror", (error) => wrong.push(`error: ${error.message}`));
      page.on("request", (request) => {
        const url = request.url();
        if (new URL(url).origin !== origin && !url.startsWith("blob:") && !url.startsWith("data:")) wrong.push(`request: ${url}`);
      });
      if (!webgpu) await page.addInitScript(() => Object.defineProperty(navigator, "gpu", { value: undefined }));
      if (scheme) await page.emulateMedia({ colorScheme: scheme });
      if (width) await page.setViewportSize({ width, height });
      await page.goto(`${origin}/${search}`);
      await page.waitForFunction(() => document.documentElement.dataset.ready || document.documentElement.dataset.state);
      return Object.assign(page, {
        wrong,
        /** Waits for the end of a run, and returns what the page says of it. */
        async ended(timeout = 120_000) {
          await page.waitForFunction(() => document.documentElement.dataset.state, null, { timeout });
          return page.evaluate(() => ({ ...document.documentElement.dataset }));
        },
      });
    },
    async close() {
      await browser.close();
      server.closeAllConnections();
      server.close();
      rmSync(profile, { recursive: true, force: true });
    },
  };
}

/** The lines of tests/golden.tsv whose problems have a name that every way into the program knows. */
export function golden() {
  const lines = readFileSync(join(ROOT, "tests", "golden.tsv"), "utf8").trim().split("\n").slice(1);
  return lines
    .map((line) => line.split("\t"))
    .filter(([, problem]) => problem === "sd2" || problem.includes(":"))
    .map(([contender, problem, pop, seed, generations, , evaluations, hash]) => {
      const [algo, ...set] = contender.split(":");
      return { algo, set, problem, pop, seed, "max-generations": generations, evaluations, hash };
    });
}
