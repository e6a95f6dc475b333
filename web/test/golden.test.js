// Every algorithm on WebGPU and in WebAssembly makes the populations that tests/golden.tsv has frozen for all engines.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { golden, open } from "./support.js";

let chromium;
let page;
before(async () => {
  chromium = await open();
  page = await chromium.page();
});
after(() => chromium?.close());

for (const backend of ["cpu", "webgpu"]) {
  for (const { hash, evaluations, ...fields } of golden()) {
    const name = [fields.algo, ...fields.set].join(":");
    test(`${backend}: ${name} on ${fields.problem}`, async () => {
      const { run } = await page.evaluate(async (fields) => {
        const { Engine } = await import("./engine.js");
        const engine = new Engine();
        try {
          return await engine.run(fields, {}, () => {});
        } finally {
          engine.end();
        }
      }, { ...fields, backend });
      assert.equal(run.backend, backend === "cpu" ? "cpu" : "gpu");
      assert.equal(run.population_hash, hash, `on ${run.adapter}`);
      assert.equal(String(run.evaluations), evaluations);
      console.log(`${backend} ${run.adapter}: ${name} ${fields.problem} ${run.seconds.toFixed(2)} s`);
    });
  }
}

test("nothing was wrong with the page", () => assert.deepEqual(page.wrong, []));
