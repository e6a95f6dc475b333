// Workers as objects: questions with answers, and runs.

const library = new URL("./gpusudoku_bg.wasm", import.meta.url);
// Not every static server knows the type of the file, which streaming insists on.
const compiled = WebAssembly.compileStreaming(fetch(library)).catch(async () => {
  const response = await fetch(library);
  if (!response.ok) throw new Error(`${library.pathname} was answered with ${response.status}: expected the library`);
  return WebAssembly.compile(await response.arrayBuffer());
});

/** A worker of the library. */
export class Engine {
  constructor() {
    this.worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
    this.waiting = new Map();
    this.next = 0;
    this.listen = () => {};
    this.ready = compiled.then((module) => this.worker.postMessage({ module }));
    this.worker.onmessage = ({ data }) => {
      if (data.kind !== "answer") {
        this.listen(data);
        return;
      }
      const { resolve, reject } = this.waiting.get(data.id);
      this.waiting.delete(data.id);
      if (data.error === undefined) resolve(data.value);
      else reject(Object.assign(new Error(data.error), { died: data.died }));
    };
    this.worker.onerror = (event) => {
      event.preventDefault?.();
      this.fail(event.message || "the worker could not be loaded");
    };
  }

  /** Ends all that is waited for. */
  fail(reason) {
    for (const { reject } of this.waiting.values()) {
      reject(Object.assign(new Error(reason), { died: true }));
    }
    this.waiting.clear();
  }

  async ask(message) {
    await this.ready;
    const id = this.next++;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.worker.postMessage({ id, ...message });
    });
  }

  call(name, ...args) {
    return this.ask({ call: name, arguments: args });
  }

  run(fields, options, listen) {
    this.listen = listen;
    return this.ask({ run: fields, options });
  }

  change(change) {
    this.worker.postMessage({ change });
  }

  end() {
    this.worker.terminate();
    this.fail("ended");
  }
}
