// The page, used as people do.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";

import { golden, open } from "./support.js";

let chromium;
before(async () => {
  chromium = await open();
});
after(() => chromium?.close());

/** A test with a page of its own, at the end of which nothing may be wrong with it. */
function on(name, search, work, about) {
  test(name, { timeout: 180_000 }, async () => {
    const page = await chromium.page(search, about);
    try {
      await work(page);
      assert.deepEqual(page.wrong, []);
    } finally {
      await page.close();
    }
  });
}

const lsga = golden().find(({ algo, set, problem }) => algo === "lsga" && !set.length && problem === "sd2");
const LSGA = `?problem=sd2&algo=lsga&pop=${lsga.pop}&seed=${lsga.seed}&max-generations=${lsga["max-generations"]}`;

for (const backend of ["webgpu", "cpu"]) {
  on(`a link with autorun ends with the golden hash on ${backend}`, `${LSGA}&backend=${backend}&autorun=1`, async (page) => {
    const said = await page.ended();
    assert.equal(said.populationHash, lsga.hash);
    assert.equal(said.generations, lsga["max-generations"]);
    assert.equal(said.state, "stopped");
    assert.ok(said.bestFitness > 0 && said.adapter, said.adapter);
    console.log(`adapter: ${await page.textContent("#f-adapter")}`);
    await page.waitForFunction((hash) => document.querySelector("#f-hash").textContent.startsWith(hash), lsga.hash);
  });
}

on("the default run solves AI Escargot within three seconds of loading", "?autorun=1&backend=cpu", async (page) => {
  const said = await page.ended();
  assert.equal(said.state, "solved");
  assert.equal(said.bestFitness, "0");
  const loaded = await page.evaluate(() => performance.now());
  console.log(`first run ended ${Math.round(loaded)} ms after navigation`);
  assert.ok(loaded < 3000 * (process.env.GPUSUDOKU_PATIENCE ?? 1), `${loaded} ms`);
  assert.match(await page.textContent("#status"), /^Solved/);
  await page.waitForFunction(() => document.querySelector("#grid-text").textContent.includes("[1] 6  2"));
});

on("wrong input is answered beside the field with the command line's sentence", "", async (page) => {
  await page.fill("#problem", "nothing");
  await page.waitForFunction(() => /no such file, and no built-in puzzle/.test(document.querySelector("#wrong-problem").textContent));
  assert.ok(await page.isDisabled("#run"));
  await page.fill("#problem", "11..............");
  await page.waitForFunction(() => /^the puzzle given/.test(document.querySelector("#wrong-problem").textContent));
  await page.fill("#problem", "sd2");
  await page.fill("#pop", "-3");
  await page.waitForFunction(() => /^pop = "-3" is not possible/.test(document.querySelector("#wrong-pop").textContent));
  assert.equal(await page.getAttribute("#pop", "aria-invalid"), "true");
  await page.fill("#pop", "");
  await page.selectOption("#algo", "lsga");
  await page.click("#parameters summary");
  await page.fill("#set-pc1", "7");
  await page.waitForFunction(() => /expected a probability/.test(document.querySelector("#wrong-set-pc1").textContent));
  await page.fill("#set-pc1", "0.5");
  await page.fill("#problem", "queens:8");
  await page.waitForFunction(() => /for queens:8 there is/.test(document.querySelector("#wrong-algo").textContent));
});

on("a pasted text, a typed cell, a generated puzzle and a dropped file are taken", "", async (page) => {
  await page.fill("#problem", "1..4....2..3....");
  await page.waitForFunction(() => document.querySelector("#about-problem").textContent.includes("4x4, 4 givens"));
  await page.focus("#grid");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("3");
  await page.waitForFunction(() => document.querySelector("#about-problem").textContent.includes("5 givens"));
  assert.equal(await page.inputValue("#problem"), "13.4....2..3....");
  await page.keyboard.press("Delete");
  await page.waitForFunction(() => document.querySelector("#about-problem").textContent.includes("4 givens"));
  await page.click("#generator summary");
  for (const size of ["64", "25"]) {
    await page.fill("#g-size", size);
    await page.click("#generate");
    await page.waitForFunction((size) => document.querySelector("#about-problem").textContent.includes(`${size}x${size}`), size);
  }
  await page.check("#g-latin");
  await page.click("#generate");
  await page.waitForFunction(() => document.querySelector("#about-problem").textContent.includes("Latin square"));
  await page.fill("#g-givens", "900%");
  await page.click("#generate");
  await page.waitForFunction(() => /^900% givens are not possible/.test(document.querySelector("#wrong-generate").textContent));
  await page.setInputFiles("#file", { name: "two.sdm", mimeType: "text/plain", buffer: Buffer.from(`${"1..4....2..3....\n"}${"....4....2..3...\n"}`) });
  await page.waitForFunction(() => document.querySelector("#wrong-problem").textContent || document.querySelector("#about-problem").textContent.includes("4x4"));
});

on("givens that contradict each other are shown as they were typed", "?problem=1..4....2..3....", async (page) => {
  const width = await page.$eval("#grid", (it) => it.getBoundingClientRect().width);
  await page.click("#grid", { position: { x: width * 0.4, y: width * 0.1 } });
  await page.keyboard.press("1");
  await page.waitForFunction(() => document.querySelector("#wrong-problem").textContent);
  assert.equal(await page.inputValue("#problem"), "11.4....2..3....");
  await page.waitForFunction(() => /2 givens in conflict/.test(document.querySelector("#grid").getAttribute("aria-label")));
  assert.ok(await page.isDisabled("#run"));
  await page.keyboard.press("3");
  await page.waitForFunction(() => !document.querySelector("#wrong-problem").textContent);
  assert.equal(await page.inputValue("#problem"), "13.4....2..3....");
});

on("a cell can be typed where there are no keys", "?problem=1..4....2..3....", async (page) => {
  await page.fill("#cell", "7");
  await page.waitForFunction(() => /from 1 to 4/.test(document.querySelector("#wrong-cell").textContent));
  await page.focus("#grid");
  await page.keyboard.press("ArrowRight");
  await page.waitForFunction(() => document.querySelector("#cell-label").textContent === "Given in row 1, column 2");
  await page.fill("#cell", "3");
  await page.waitForFunction(() => document.querySelector("#problem").value === "13.4....2..3....");
  await page.fill("#cell", "");
  await page.waitForFunction(() => document.querySelector("#problem").value === "1..4....2..3....");
});

on("a text can be dropped", "", async (page) => {
  await page.evaluate(() => {
    const data = new DataTransfer();
    data.setData("text", "1..4....2..3....");
    document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
  });
  await page.waitForFunction(() => document.querySelector("#about-problem").textContent.includes("4x4, 4 givens"));
});

on("pause, step and go on make the same run, and steps show what changed", `${LSGA}&backend=cpu`, async (page) => {
  await page.fill("#picked", "3");
  await page.click("#step");
  await page.waitForFunction(() => document.documentElement.dataset.running === "paused");
  await page.waitForSelector('#steps-grids figure[data-step="generation 0"]');
  assert.ok(await page.isDisabled("#seed"));
  await page.fill("#picked", "40");
  await page.waitForFunction(() => /no individual 40: expected a whole number from 0 to 39/.test(document.querySelector("#wrong-picked").textContent));
  await page.fill("#picked", "3");
  for (const generation of ["1", "2", "3"]) {
    await page.click("#step");
    await page.waitForFunction((text) => document.querySelector("#f-generation").textContent === text, generation);
  }
  await page.waitForSelector("#steps-grids figure[data-step=survival]");
  const steps = await page.$$eval("#steps-grids figure", (all) => all.map((it) => it.dataset.step));
  assert.deepEqual(steps, ["before", "selection", "crossover", "mutation", "local search", "survival", "after"]);
  const captions = await page.$$eval("#steps-grids figcaption", (all) => all.map((it) => it.textContent));
  assert.ok(captions.every((it) => /fitness \d+$/.test(it)), captions.join("; "));
  await page.click("#pause");
  const said = await page.ended();
  assert.equal(said.populationHash, lsga.hash);
});

on("a slow run can be paused, sped up and stopped", "?problem=sd2&algo=ga&pop=50&backend=cpu&max-generations=1000000", async (page) => {
  await page.fill("#speed", "3");
  await page.click("#run");
  await page.waitForFunction(() => Number(document.querySelector("#f-generation").textContent) >= 2);
  await page.click("#pause");
  await page.waitForFunction(() => document.documentElement.dataset.running === "paused");
  const paused = await page.textContent("#f-generation");
  await page.waitForTimeout(600);
  assert.equal(await page.textContent("#f-generation"), paused);
  await page.click("#pause");
  await page.fill("#speed", "8");
  await page.waitForFunction(() => Number(document.querySelector("#f-generation").textContent.replaceAll(",", "")) > 200);
  await page.click("#stop");
  const said = await page.ended();
  assert.equal(said.state, "stopped");
  assert.match(said.populationHash, /^[0-9a-f]{16}$/);
});

on("the page draws while a 64x64 run goes on", "?algo=lsga&pop=64&backend=cpu&max-generations=100000", async (page) => {
  await page.click("#generator summary");
  await page.fill("#g-size", "64");
  await page.click("#generate");
  await page.waitForFunction(() => document.querySelector("#about-problem").textContent.includes("64x64"));
  await page.click("#run");
  await page.waitForFunction(() => Number(document.querySelector("#f-generation").textContent) >= 3, null, { timeout: 60_000 });
  const frames = await page.evaluate(async () => {
    const times = [];
    const end = performance.now() + 2000;
    while (performance.now() < end) times.push(await new Promise(requestAnimationFrame));
    const gaps = times.slice(1).map((it, at) => it - times[at]).sort((a, b) => a - b);
    return { many: times.length, median: gaps[gaps.length >> 1] };
  });
  console.log(`frames in 2 s at 64x64: ${frames.many}, median gap ${frames.median.toFixed(1)} ms`);
  assert.ok(frames.median < 50, JSON.stringify(frames));
  await page.click("#stop");
  await page.ended();
});

on("a race compares hashes on the way", `${LSGA}`, async (page) => {
  await page.evaluate(() => (document.querySelector("#race-stride").value = "2"));
  await page.click("#race");
  await page.waitForFunction(() => document.documentElement.dataset.race, null, { timeout: 120_000 });
  assert.equal(await page.evaluate(() => document.documentElement.dataset.race), "equal");
  const rows = await page.$$eval("#race-rows tr", (all) => all.map((row) => [...row.cells].map((cell) => cell.textContent)));
  assert.deepEqual(rows.map(([generation]) => generation), ["8", "6", "4", "2", "0"]);
  assert.ok(rows.every(([, gpu, cpu, equal]) => gpu === cpu && equal === "= equal"));
  assert.equal(rows[0][1], lsga.hash);
  assert.match(await page.textContent("#race-said"), /times as fast\. 5 populations compared, all equal/);
});

on("a link has all of the form, and its run is the same", `${LSGA}&backend=cpu&set=elite=3&set=pc1=0.3&time-limit=50`, async (page) => {
  const wanted = await page.evaluate(() => document.querySelector("#command").textContent);
  assert.equal(wanted, "gpusudoku run sd2 --algo lsga --pop 40 --seed 1 --backend cpu --max-generations 8 --time-limit 50 --set elite=3 --set pc1=0.3");
  await page.click("#run");
  const first = await page.ended();
  const again = await chromium.page(new URL(page.url()).search + "&autorun=1");
  const second = await again.ended();
  assert.equal(second.populationHash, first.populationHash);
  assert.equal(await again.textContent("#command"), wanted);
  assert.deepEqual(again.wrong, []);
  await again.close();
});

on("a link to a large puzzle is not too long for servers", "?algo=lsga&pop=8&backend=cpu&max-generations=2", async (page) => {
  await page.click("#generator summary");
  await page.fill("#g-size", "64");
  await page.click("#generate");
  await page.waitForFunction(() => document.querySelector("#about-problem").textContent.includes("64x64"));
  await page.click("#run");
  const first = await page.ended();
  const address = new URL(page.url());
  assert.equal(address.search, "");
  const again = await chromium.page(`${address.hash}&autorun=1`);
  assert.equal((await again.ended()).populationHash, first.populationHash);
  assert.deepEqual(again.wrong, []);
  await again.close();
});

on("the link that is copied says what was not filled in", "?problem=sd2&backend=cpu", async (page) => {
  await chromium.browser.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.click("#keep-link");
  await page.waitForFunction(() => document.querySelector("#kept").textContent);
  const link = new URL(await page.evaluate(() => navigator.clipboard.readText()));
  const asked = Object.fromEntries(link.searchParams);
  assert.deepEqual(Object.keys(asked).sort(), ["algo", "autorun", "backend", "max-generations", "pop", "problem", "seed"]);
  assert.equal(asked.algo, "memetic");
  assert.equal(asked.seed, "1");
});

on("everything can be kept", `${LSGA}&backend=cpu&autorun=1`, async (page) => {
  await page.ended();
  async function saved(id) {
    const [download] = await Promise.all([page.waitForEvent("download"), page.click(id)]);
    return readFileSync(await download.path());
  }
  const json = JSON.parse(await saved("#keep-json"));
  assert.equal(json.population_hash, lsga.hash);
  assert.equal(json.problem, "sd2");
  assert.equal(Object.keys(json)[0], "problem");
  const rows = String(await saved("#keep-trace")).trim().split("\n");
  assert.equal(rows.length, 1 + 1 + Number(lsga["max-generations"]));
  assert.match(rows[0], /^problem,seed,generation,best,mean,worst,diversity/);
  assert.match(String(await saved("#keep-svg")), /<svg/);
  assert.equal((await saved("#keep-png")).subarray(1, 4).toString(), "PNG");
  await page.selectOption("#keep-format", "sdk");
  assert.match(String(await saved("#keep-text")), /^([1-9]{9}\n){9}$/m);
  await page.selectOption("#keep-format", "triples");
  await page.click("#keep-text");
  await page.waitForFunction(() => /^--to triples/.test(document.querySelector("#wrong-keep").textContent));
});

/** From its next generation on, the device of a run that pauses is lost: once, or every one that is made. */
async function lose(page, every) {
  const workers = [];
  page.on("worker", (worker) => workers.push(worker));
  await page.click("#step");
  await page.waitForFunction(() => document.documentElement.dataset.running === "paused", null, { timeout: 120_000 });
  await workers.at(-1).evaluate((every) => {
    const create = GPUDevice.prototype.createCommandEncoder;
    let lost = false;
    GPUDevice.prototype.createCommandEncoder = function (...args) {
      if (every || !lost) this.destroy();
      lost = true;
      return create.apply(this, args);
    };
  }, every);
  await page.click("#pause");
}

on("a lost device is told, and the run goes on to the same end", `${LSGA}&backend=webgpu`, async (page) => {
  await lose(page, false);
  const said = await page.ended();
  assert.match(await page.textContent("#message"), /failed: .* The device is made anew, and the run /);
  assert.equal(said.state, "stopped");
  assert.equal(said.populationHash, lsga.hash);
  assert.match(said.adapter, /swiftshader/);
});

on("where every device is lost, WebAssembly goes on", `${LSGA}&backend=webgpu`, async (page) => {
  await lose(page, true);
  const said = await page.ended();
  assert.equal(said.state, "failed");
  assert.ok(await page.isEnabled("#keep-trace"));
  await page.click("#remedy");
  await page.waitForFunction(() => document.documentElement.dataset.state === "stopped");
  assert.equal(await page.evaluate(() => document.documentElement.dataset.populationHash), lsga.hash);
});

on("a worker that dies leaves what was shown, and a way to go on", "?problem=sd2&algo=ga&pop=50&backend=cpu&max-generations=1000000", async (page) => {
  const workers = [];
  page.on("worker", (worker) => workers.push(worker));
  await page.click("#run");
  await page.waitForFunction(() => Number(document.querySelector("#f-generation").textContent.replaceAll(",", "")) > 5);
  // An exception of which nobody knows.
  await workers.at(-1).evaluate(() => setTimeout(() => { throw new Error("the library has trapped"); }, 0));
  const said = await page.ended();
  assert.equal(said.state, "failed");
  assert.match(await page.textContent("#message"), /The worker has died: .*the library has trapped/);
  assert.notEqual(await page.textContent("#f-generation"), "0");
  assert.ok(await page.isEnabled("#keep-trace"));
  await page.fill("#max-generations", "3");
  await page.waitForFunction(() => document.querySelector("#command").textContent.includes("--max-generations 3"));
  await page.click("#remedy");
  await page.waitForFunction(() => document.documentElement.dataset.state === "stopped");
});

for (const width of [400, 900, 1600]) {
  on(`nothing is wider than a window of ${width} pixels`, `${LSGA}&backend=cpu&autorun=1`, async (page) => {
    await page.ended();
    await page.click("#parameters summary");
    const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.equal(over, 0);
    await page.setViewportSize({ width: width - 60, height: 700 });
    const canvas = await page.$eval("#grid", (it) => it.getBoundingClientRect().width);
    assert.ok(canvas > 200 && canvas < width, `${canvas}`);
  }, { width, height: 900 });
}

on("every field has a label, and every control a name", "", async (page) => {
  const nameless = await page.$$eval("input, select, textarea, button, canvas, meter", (all) =>
    all.filter((it) => !(it.labels?.length || it.textContent.trim() || it.getAttribute("aria-label") || it.closest(".bar"))).map((it) => it.outerHTML));
  assert.deepEqual(nameless.filter((it) => !it.includes("remedy")), []);
});

test("once loaded, the page needs no server", { timeout: 120_000 }, async () => {
  const served = await open();
  try {
    const page = await served.page(`${LSGA}&backend=cpu`);
    await page.evaluate(() => navigator.serviceWorker.ready);
    await page.waitForFunction(() => navigator.serviceWorker.controller);
    await served.hangUp();
    await page.click("#run");
    assert.equal((await page.ended()).populationHash, lsga.hash);
    await page.reload();
    await page.click("#run");
    assert.equal((await page.ended()).populationHash, lsga.hash);
    assert.deepEqual(page.wrong, []);
  } finally {
    await served.close();
  }
});

test("a server that knows no types of files is enough", { timeout: 120_000 }, async () => {
  const served = await open({ types: { ".html": "text/html", ".js": "text/javascript", ".css": "text/css" } });
  try {
    const page = await served.page(`${LSGA}&backend=cpu&autorun=1`);
    assert.equal((await page.ended()).populationHash, lsga.hash);
  } finally {
    await served.close();
  }
});

test("without WebGPU the page says so in a sentence and runs in WebAssembly", { timeout: 120_000 }, async () => {
  const without = await open({ webgpu: false });
  try {
    const page = await without.page(`${LSGA}&autorun=1`);
    const said = await page.ended();
    assert.equal(said.populationHash, lsga.hash);
    await page.waitForFunction(() => /has no WebGPU/.test(document.querySelector("#webgpu").textContent));
    const asked = await without.page(`${LSGA}&backend=webgpu&autorun=1`);
    assert.equal((await asked.ended()).state, "failed");
    assert.match(await asked.textContent("#message"), /no usable GPU adapter/);
    await asked.click("#remedy");
    await asked.waitForFunction(() => document.documentElement.dataset.state === "stopped");
    // The other side does not run to the end of its budget alone.
    const alone = await without.page("?problem=sd2&algo=ga&max-generations=100000000");
    await alone.click("#race");
    await alone.waitForFunction(() => document.documentElement.dataset.race === "failed");
    assert.match(await alone.textContent("#message"), /no usable GPU adapter/);
    page.wrong.push(...alone.wrong);
    assert.deepEqual([...page.wrong, ...asked.wrong], []);
  } finally {
    await without.close();
  }
});
