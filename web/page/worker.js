// A worker: the library in WebAssembly. One serves the form (lists, problems, files); each run has one of its own, which
// can be ended at any time without harm to what is shown.

import init, * as library from "./gpusudoku.js";

/** No more often than this does the page get a population, in milliseconds. */
const VIEW_EVERY = 100;
/** A view takes no more than this share of the time. */
const VIEW_SHARE = 10;

// The library knows adapters by their description, which most browsers leave empty.
if (globalThis.GPUAdapterInfo) {
  const { get } = Object.getOwnPropertyDescriptor(GPUAdapterInfo.prototype, "description");
  Object.defineProperty(GPUAdapterInfo.prototype, "description", {
    get() {
      return get.call(this) || [this.vendor, this.architecture, this.device].filter(Boolean).join(" ");
    },
  });
}

let ready;
let control = null;

/** What a run is told, and what it tells. */
class Control {
  constructor(options) {
    /** "run", "pause" or "stop". */
    this.mode = options.paused ? "pause" : "run";
    /** Generations that may run though it is paused. */
    this.granted = 0;
    /** Generations a second, or 0 for as many as there can be. */
    this.speed = options.speed || 0;
    /** In a race, views are of generations that are multiples of this. */
    this.stride = options.stride || 0;
    this.individual = options.picked ?? -1;
    this.generation = 0;
    this.due = 0;
    this.asked = 0;
    this.stepping = false;
    this.wake = null;
    this.fresh = true;
  }

  started(engine) {
    post("started", { engine: JSON.parse(engine) });
  }

  progress(records, operator, elapsed, rows) {
    this.generation = records.length ? records[records.length - 7] : this.generation;
    post("progress", { records, operator, elapsed, rows }, [records.buffer]);
  }

  wantsView(generation, ended) {
    this.asked = performance.now();
    if (ended || this.fresh || this.stepping || this.mode === "pause") return true;
    if (this.stride) return generation % this.stride === 0;
    return this.asked >= this.due;
  }

  view(about, best, conflicts, agreement, picked) {
    const now = performance.now();
    this.fresh = false;
    this.due = now + Math.max(VIEW_EVERY, VIEW_SHARE * (now - this.asked));
    post("view", { about: JSON.parse(about), best, conflicts, agreement, picked });
  }

  picked() {
    return this.individual;
  }

  wantsSteps() {
    return this.stepping && this.individual >= 0;
  }

  steps(about, cells) {
    post("steps", { about: JSON.parse(about), cells });
  }

  fault(sentence, remedy) {
    post("fault", { sentence, remedy });
  }

  async leave() {
    // Messages of the page have their turn.
    await new Promise((resolve) => {
      const channel = new MessageChannel();
      channel.port1.onmessage = () => {
        channel.port1.close();
        resolve();
      };
      channel.port2.postMessage(0);
    });
    this.stepping = false;
    if (this.mode === "run" && this.speed) {
      await new Promise((resolve) => {
        const timer = setTimeout(resolve, 1000 / this.speed);
        this.wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    while (this.mode === "pause" && !this.granted) {
      post("paused", {});
      await new Promise((resolve) => {
        this.wake = resolve;
      });
    }
    this.wake = null;
    if (this.mode === "stop") return -1;
    if (this.mode === "pause") {
      this.granted -= 1;
      this.stepping = true;
      return 1;
    }
    if (this.speed) return 1;
    if (this.stride) return this.stride - (this.generation % this.stride);
    return 0xffffffff;
  }

  change(change) {
    Object.assign(this, change);
    if (change.step) this.granted += 1;
    this.wake?.();
  }
}

function post(kind, message, transfer = []) {
  self.postMessage({ kind, ...message }, transfer);
}

async function answer(data) {
  // At once: changes may follow before the library is there.
  if (data.run) control = new Control(data.options);
  await ready;
  if (data.call) return library[data.call](...data.arguments);
  if (data.run) {
    const result = await library.run(JSON.stringify(data.run), control);
    control = null;
    return JSON.parse(result);
  }
  return null;
}

self.onmessage = async ({ data }) => {
  if (data.module) {
    ready = init({ module_or_path: data.module });
    return;
  }
  if (data.change) {
    control?.change(data.change);
    return;
  }
  try {
    post("answer", { id: data.id, value: await answer(data) });
  } catch (error) {
    // A sentence of the library is a string; anything else is the end of this worker.
    const died = typeof error !== "string";
    post("answer", { id: data.id, error: died ? String(error?.message ?? error) : error, died });
  }
};
