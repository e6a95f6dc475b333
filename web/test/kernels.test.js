// Every kernel in every variant that a browser may get, compiled by Tint.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { ROOT, open } from "./support.js";

const FOLDER = join(ROOT, "web", "target", "kernels");

test("every kernel compiles", { timeout: 600_000 }, async () => {
  rmSync(FOLDER, { recursive: true, force: true });
  execFileSync("cargo", ["run", "--quiet", "--example", "print_shader", "--", "all", FOLDER], { cwd: ROOT, stdio: "inherit" });
  const kernels = readdirSync(FOLDER).map((name) => [name, readFileSync(join(FOLDER, name), "utf8")]);
  assert.ok(kernels.length > 500, `${kernels.length} kernels`);
  const chromium = await open();
  try {
    const page = await chromium.page();
    const { messages, invalid } = await page.evaluate(async (kernels) => {
      const adapter = await navigator.gpu.requestAdapter();
      const device = await adapter.requestDevice();
      const compile = async ([name, code]) => {
        const module = device.createShaderModule({ code });
        const { messages } = await module.getCompilationInfo();
        return messages.map((it) => `${name}:${it.lineNum}: ${it.type}: ${it.message}`);
      };
      const messages = (await Promise.all(kernels.map(compile))).flat();
      // Whether a wrong one would be seen.
      device.pushErrorScope("validation");
      const invalid = await compile(["wrong", kernels[0][1].replace("fn ", "fn 1")]);
      await device.popErrorScope();
      return { messages, invalid };
    }, kernels);
    assert.deepEqual(messages, []);
    assert.notDeepEqual(invalid, []);
    console.log(`${kernels.length} variants of kernels compiled`);
  } finally {
    await chromium.close();
  }
});
