// WebGPU against WebAssembly on the same seed, side by side, with hashes compared on the way.

import { Engine } from "./engine.js";
import { $ } from "./form.js";

const SIDES = ["webgpu", "cpu"];
const SHOWN = 10;

/** Runs both. Resolves when both have ended; `stop()` ends them before. */
export class Race {
  constructor(fields, stride, tell) {
    this.tell = tell;
    this.hashes = new Map();
    this.compared = 0;
    this.different = [];
    this.sides = Object.fromEntries(SIDES.map((name) => [name, { engine: new Engine(), marks: [], rate: 0, generation: 0, adapter: "", said: "" }]));
    $("race-rows").replaceChildren();
    $("race-said").textContent = "";
    this.done = Promise.all(SIDES.map((name) => this.run(name, { ...fields, backend: name }, stride)));
  }

  async run(name, fields, stride) {
    const side = this.sides[name];
    const listen = (message) => {
      if (message.kind === "started") side.adapter = message.engine.adapter;
      if (message.kind === "fault") side.said = message.sentence;
      if (message.kind === "progress" && message.records.length) {
        side.generation = message.records.at(-7);
        // Set-up and the first generations, in which kernels are compiled, do not count.
        if (side.marks.length < 2) side.marks.push([side.generation, message.elapsed]);
        else side.rate = (side.generation - side.marks[1][0]) / Math.max(message.elapsed - side.marks[1][1], 1e-6);
        this.draw();
      }
      if (message.kind === "view") this.compare(name, message.about);
    };
    try {
      side.result = await side.engine.run(fields, { stride }, listen);
    } catch (error) {
      side.said = error.message;
      // A race of one is none.
      this.stop();
    }
    side.engine.end();
    this.draw();
    return side;
  }

  compare(name, { generation, hash }) {
    const both = this.hashes.get(generation) ?? {};
    both[name] = hash;
    this.hashes.set(generation, both);
    if (!both.webgpu || !both.cpu || both.counted) return;
    both.counted = true;
    this.compared += 1;
    const equal = both.webgpu === both.cpu;
    if (!equal) this.different.push(generation);
    const row = $("race-rows").insertRow(0);
    row.dataset.generation = generation;
    for (const text of [generation, both.webgpu, both.cpu, equal ? "= equal" : "≠ different"]) row.insertCell().textContent = text;
    while ($("race-rows").rows.length > SHOWN) $("race-rows").deleteRow(-1);
    this.draw();
  }

  draw() {
    const fastest = Math.max(...SIDES.map((name) => this.sides[name].rate), 1e-9);
    for (const name of SIDES) {
      const side = this.sides[name];
      $(`race-${name}`).value = side.rate / fastest;
      const rate = side.rate.toPrecision(3);
      $(`race-${name}-said`).textContent = side.said || `${side.adapter}: generation ${side.generation}, ${rate} generations a second`;
    }
    const { webgpu, cpu } = this.sides;
    if (webgpu.rate && cpu.rate) {
      const [fast, slow, name] = webgpu.rate > cpu.rate ? [webgpu, cpu, "WebGPU"] : [cpu, webgpu, "WebAssembly"];
      const verdict = this.different.length ? `different in generation ${this.different[0]}` : "all equal";
      $("race-said").textContent = `Once set up, ${name} is ${(fast.rate / slow.rate).toFixed(2)} times as fast. ${this.compared} populations compared, ${verdict}.`;
    }
    this.tell(this);
  }

  stop() {
    for (const name of SIDES) this.sides[name].engine.change({ mode: "stop" });
  }
}
