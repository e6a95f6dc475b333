// The form: fields, what is wrong with them, and links that have all of them.

const TEXTS = ["problem", "box", "alphabet", "algo", "pop", "seed", "backend", "max-generations", "max-evaluations", "time-limit"];

export const $ = (id) => document.getElementById(id);

/** The fields as the library reads them; what is empty was not filled in. */
export function fields() {
  const all = Object.fromEntries(TEXTS.map((name) => [name, $(name).value.trim() === "" ? "" : $(name).value]));
  all.latin = $("latin").checked;
  all.set = [...document.querySelectorAll("#params input, #params select")]
    .filter((input) => input.value.trim() !== "" && input.value !== input.dataset.default)
    .map((input) => `${input.dataset.key}=${input.value}`);
  return all;
}

/** The part of an address that means these fields. */
function query(all) {
  const search = new URLSearchParams();
  for (const name of TEXTS) if (all[name]) search.append(name, all[name]);
  if (all.latin) search.append("latin", "1");
  for (const pair of all.set) search.append("set", pair);
  return search.toString();
}

/** More than this, and servers refuse an address; what is behind # is not sent to them. */
const LONGEST = 4000;

/** The address of the page with these fields. */
export function address(all, more = "") {
  const asked = query(all) + more;
  return `${location.origin}${location.pathname}${asked.length > LONGEST ? "#" : "?"}${asked}`;
}

/** Fills the form from the address. Returns whether the run is to begin at once. */
export function restore(catalogue) {
  const asked = new URLSearchParams(location.search.length > 1 ? location.search : location.hash.slice(1));
  for (const name of TEXTS) {
    let value = asked.get(name) ?? "";
    if (name === "backend" && value === "gpu") value = "webgpu";
    if (name === "backend" && value === "auto") value = "";
    if ($(name).tagName === "SELECT" && value && ![...$(name).options].some((it) => it.value === value)) {
      // What there is not is kept, so that the library can say so.
      $(name).add(new Option(value, value));
    }
    $(name).value = value;
  }
  $("latin").checked = asked.get("latin") === "1";
  showParameters(catalogue);
  for (const pair of asked.getAll("set")) {
    const at = pair.indexOf("=");
    const [key, value] = at < 0 ? [pair, ""] : [pair.slice(0, at), pair.slice(at + 1)];
    const input = $(`set-${key}`) ?? addParameter({ key, default: "", meaning: "not a parameter of this algorithm", source: "", values: "" });
    input.value = value;
  }
  return asked.get("autorun") === "1";
}

/** Fills the lists. */
export function list(catalogue) {
  $("puzzle").append(new Option("your own", ""));
  for (const { name, note } of catalogue.puzzles) $("puzzle").append(new Option(`${name}: ${note}`.slice(0, 80), name));
  for (const name of ["queens:8", "queens:32", "torus:13"]) $("puzzle").append(new Option(name, name));
  $("algo").append(new Option("the default", ""));
  for (const { name, title } of catalogue.algorithms) $("algo").append(new Option(`${name}: ${title}`, name));
  for (const name of catalogue.formats) $("keep-format").append(new Option(name, name));
  $("keep-format").value = "framed";
}

/** The algorithm that is chosen, or would be. */
export function chosen(catalogue) {
  const queens = /^\s*(queens|torus):/.test($("problem").value);
  const name = $("algo").value || (queens ? "hgasa" : "memetic");
  return catalogue.algorithms.find((it) => it.name === name);
}

/** Shows the parameters of the chosen algorithm, with help and source. */
export function showParameters(catalogue) {
  $("params").replaceChildren();
  const algorithm = chosen(catalogue);
  $("about-algo").textContent = algorithm ? `${algorithm.title}. Source: ${algorithm.source}.` : "";
  $("pop").placeholder = algorithm?.pop ?? "";
  $("max-generations").placeholder = algorithm?.maxGenerations ?? "";
  $("seed").placeholder = "1";
  algorithm?.params.forEach(addParameter);
}

function element(tag, properties, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

function addParameter({ key, default: value, meaning, source, values }) {
  const words = / or /.test(values) && !/number|probability/.test(values) ? values.split(" or ") : null;
  const input = words ? element("select", {}) : element("input", { value });
  words?.forEach((word) => input.add(new Option(word, word)));
  input.id = `set-${key}`;
  input.value = value;
  input.dataset.key = key;
  input.dataset.default = value;
  input.setAttribute("aria-describedby", `help-${key} wrong-set-${key}`);
  $("params").append(
    element(
      "div",
      { className: "param" },
      element("label", { htmlFor: input.id, textContent: key }),
      input,
      element("p", { className: "note", id: `help-${key}`, textContent: `${meaning}; ${values} [${source}]` }),
      element("p", { className: "wrong", id: `wrong-set-${key}`, role: "alert" }),
    ),
  );
  return input;
}

/** Shows what is wrong beside the fields. */
export function showWrong(wrong) {
  for (const note of document.querySelectorAll("#form .wrong")) note.textContent = "";
  for (const field of document.querySelectorAll("#form [aria-invalid]")) field.removeAttribute("aria-invalid");
  for (const { field, sentence } of wrong) {
    const place = $(`wrong-${field}`) ?? $("wrong-algo");
    place.textContent = sentence;
    $(field)?.setAttribute("aria-invalid", "true");
    place.closest("details")?.setAttribute("open", "");
  }
}
