// A service worker: once the page is loaded it needs no network, neither for further workers nor to be loaded again. What
// the server has goes before what is kept, so that nothing grows old.

const KEPT = "gpusudoku";
const FILES = [
  "./", "app.js", "chart.js", "engine.js", "form.js", "gpusudoku.js", "gpusudoku_bg.wasm", "grid.js", "icon.svg", "keep.js",
  "race.js", "style.css", "worker.js",
];

self.addEventListener("install", (event) => {
  const keep = async () => (await caches.open(KEPT)).addAll(FILES);
  event.waitUntil(keep().then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

async function answer(request) {
  const kept = await caches.open(KEPT);
  try {
    const response = await fetch(request);
    const address = new URL(request.url);
    // Links differ in what is asked for, and are all the same page.
    address.search = "";
    if (response.ok) await kept.put(address, response.clone());
    return response;
  } catch (error) {
    // The address of a run is that of the page.
    const found = await kept.match(request, { ignoreSearch: true });
    if (found) return found;
    throw error;
  }
}

self.addEventListener("fetch", (event) => {
  const { method, url } = event.request;
  if (method === "GET" && new URL(url).origin === location.origin) event.respondWith(answer(event.request));
});
