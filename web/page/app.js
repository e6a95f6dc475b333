// The page: what is chosen, what runs, what is shown. The search itself is in workers, so that nothing here waits for it.

import { Engine } from "./engine.js";
import { Series, drawChart } from "./chart.js";
import { cellAt, drawAgreement, drawGrid, sayAgreement } from "./grid.js";
import { $, address, chosen, fields, list, restore, showParameters, showWrong } from "./form.js";
import { copy, png, save } from "./keep.js";
import { Race } from "./race.js";

/** Generations a second for each place of the slider; 0 is as many as there can be. */
const SPEEDS = [0.5, 1, 2, 5, 10, 20, 50, 100, 0];

let desk = new Engine();
let catalogue;
let problem = null;
let runner = null;
let race = null;
/** What the library makes of fields that were not filled in. */
let resolved = {};
let cursor;
let pointed;
const dirty = new Set();

/** What is shown of a run, whatever becomes of its worker. */
let shown = fresh({});

function fresh(all) {
  return {
    fields: all, series: new Series(5), rows: "", header: "", view: null, result: null, elapsed: 0, generation: 0,
    evaluations: 0, pop: 0, operator: "", adapter: "", steps: null, paused: false, rate: [],
  };
}

/* Drawing: once a frame, and only what has changed. */

function redraw(...what) {
  if (!dirty.size) requestAnimationFrame(draw);
  for (const it of what) dirty.add(it);
}

function draw() {
  const what = new Set(dirty);
  dirty.clear();
  const { view, series } = shown;
  if (!problem) return;
  if (what.has("grid")) {
    const values = view ? view.best : problem.givens;
    const conflicts = view?.conflicts ?? problem.conflicts;
    const typing = [$("grid"), $("cell")].includes(document.activeElement);
    drawGrid($("grid"), problem, values, { conflicts, cursor: typing ? cursor : undefined });
    const wrong = conflicts?.reduce((sum, it) => sum + it, 0) ?? 0;
    const about = view ? `best fitness ${view.about.bestFitness}, ${wrong} in conflict` : wrong ? `${wrong} givens in conflict` : "not run yet";
    drawCell();
    $("grid").setAttribute("aria-label", `${problem.name}, ${problem.size} by ${problem.size}, ${about}`);
  }
  if (what.has("agreement")) {
    drawAgreement($("agreement"), problem, view?.agreement, view?.about.pop ?? 1, pointed);
    if (view && pointed !== undefined) $("agreement-said").textContent = sayAgreement(problem, view.agreement, view.about.pop, pointed);
  }
  if (what.has("charts")) {
    drawChart($("convergence"), series, ["best", "mean", "worst"], "log");
    drawChart($("diversity"), { all: () => series.all().map((row) => [row[0], row[4]]) }, ["diversity"], "share");
  }
  if (what.has("figures")) drawFigures();
  if (what.has("steps")) drawSteps();
}

/** The field for a given: for fingers, which have no keys for the grid, and for screen readers. */
function drawCell() {
  const open = problem.kind === "grid" && !runner && !race;
  $("typing").hidden = !open;
  if (!open) return;
  const cell = cursor ?? 0;
  const label = `Given in row ${Math.floor(cell / problem.size) + 1}, column ${(cell % problem.size) + 1}`;
  if ($("cell-label").textContent !== label) $("cell-label").textContent = label;
  if (document.activeElement !== $("cell")) $("cell").value = problem.givens[cell] || "";
}

function drawFigures() {
  const last = shown.rate.at(-1);
  const first = shown.rate[0];
  const per = last && last[1] > first[1] ? (last[0] - first[0]) / (last[1] - first[1]) : 0;
  $("f-generation").textContent = shown.generation.toLocaleString("en");
  $("f-best").textContent = shown.view ? `${shown.view.about.bestFitness} (generation ${shown.view.about.bestGeneration})` : "–";
  $("f-rate").textContent = per ? Number(per.toPrecision(3)).toLocaleString("en") : "–";
  $("f-individuals").textContent = per ? Number((per * (shown.view?.about.pop ?? 0)).toPrecision(3)).toLocaleString("en") : "–";
  $("f-operator").textContent = shown.operator || "–";
  $("f-adapter").textContent = shown.adapter || "–";
  $("f-hash").textContent = shown.view ? `${shown.view.about.hash} (generation ${shown.view.about.generation})` : "–";
}

function drawSteps() {
  const place = $("steps-grids");
  place.replaceChildren();
  const { about, cells } = shown.steps ?? now();
  if (!about) return;
  about.names.forEach((name, at) => {
    const before = cells[Math.max(0, at - 1)];
    const changed = Array.from(cells[at], (value, cell) => at > 0 && value !== before[cell]);
    const many = changed.filter(Boolean).length;
    const figure = document.createElement("figure");
    const canvas = document.createElement("canvas");
    const caption = document.createElement("figcaption");
    const said = at === 0 ? "as it was" : many === 1 ? "1 cell changed" : `${many} cells changed`;
    caption.textContent = `${name}: ${said}, fitness ${about.fitness[at]}`;
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", caption.textContent);
    figure.dataset.step = name;
    figure.dataset.changed = many;
    figure.append(canvas, caption);
    place.append(figure);
    drawGrid(canvas, problem, cells[at], { changed });
  });
  if (!shown.steps) return;
  const apart = about.names.length > 2 ? "" : " The steps of this operator cannot be told apart.";
  $("steps-said").textContent = `What generation ${about.generation} made of individual ${about.individual}. Changed cells are framed.${apart}`;
}

/** The individual as it is, before any step was taken. */
function now() {
  const { about, picked } = shown.view ?? {};
  if (!shown.paused || !picked?.length) return {};
  return { about: { names: [`generation ${about.generation}`], fitness: [about.pickedFitness] }, cells: [picked] };
}

/** Which individual is to be followed, or a sentence why none is. */
function picked() {
  const individual = Number($("picked").value);
  const pop = Number(resolved.pop ?? 1);
  const possible = $("picked").value.trim() !== "" && Number.isInteger(individual) && individual >= 0 && individual < pop;
  $("wrong-picked").textContent = possible ? "" : `There is no individual ${$("picked").value}: expected a whole number from 0 to ${pop - 1}.`;
  $("picked").toggleAttribute("aria-invalid", !possible);
  return possible ? individual : -1;
}

/* Choosing */

let checking = 0;

/** Has the library read the form. Returns what it says, or nothing if the form has changed meanwhile. */
async function check() {
  const mine = ++checking;
  const all = fields();
  const said = JSON.parse(await desk.call("check", JSON.stringify(all)));
  if (mine !== checking) return null;
  showWrong(said.wrong);
  $("command").textContent = said.command;
  resolved = said.resolved ?? {};
  if (said.problem && !runner) {
    problem = said.problem;
    shown = fresh(all);
    cursor = pointed = undefined;
    const more = problem.puzzles > 1 ? ` The first of ${problem.puzzles} puzzles is taken.` : "";
    const kind = problem.kind === "queens" ? `${problem.size} queens.` : `${problem.size}x${problem.size}, ${problem.givens.filter(Boolean).length} givens${problem.box ? "" : ", Latin square"}.`;
    $("about-problem").textContent = `${problem.name}: ${kind}${more} ${problem.notice ?? ""}`;
    enableKeep();
    redraw("grid", "agreement", "charts", "figures", "steps");
  }
  $("run").disabled = $("step").disabled = $("race").disabled = said.wrong.length > 0 || Boolean(runner || race);
  return said;
}

function formChanged(event) {
  if (event?.target.id === "puzzle" && $("puzzle").value) $("problem").value = $("puzzle").value;
  if (event?.target.id === "problem") $("puzzle").value = [...$("puzzle").options].some((it) => it.value === $("problem").value) ? $("problem").value : "";
  const algorithm = chosen(catalogue)?.name;
  if (algorithm !== formChanged.algorithm) {
    formChanged.algorithm = algorithm;
    showParameters(catalogue);
  }
  return check();
}

function take(text) {
  const found = JSON.parse(text);
  $("problem").value = found.problem;
  $("box").value = found.box;
  $("latin").checked = found.latin;
  $("alphabet").value = "";
  $("puzzle").value = "";
  return formChanged();
}

async function open(file) {
  try {
    const bytes = new Uint8Array(await file.arrayBuffer());
    await take(await desk.call("open", bytes, file.name, JSON.stringify({ ...fields(), problem: "" })));
  } catch (error) {
    showWrong([{ field: "problem", sentence: error.message }]);
  }
}

/** Takes a file, or text. */
function drop(data) {
  if (data.files[0]) return open(data.files[0]);
  const text = data.getData("text");
  if (!text) return null;
  $("problem").value = text;
  return formChanged();
}

/** Writes a given into the grid, and the grid into the field. */
function type(cell, digit) {
  const { size } = problem;
  const givens = [...problem.givens];
  givens[cell] = digit;
  const words = givens.map((it) => (size <= 9 ? it || "." : it));
  const rows = Array.from({ length: size }, (_, row) => words.slice(row * size, (row + 1) * size).join(size <= 9 ? "" : " "));
  $("problem").value = rows.join(size <= 9 ? "" : "\n");
  if (problem.box && !$("box").value && problem.box[0] !== problem.box[1]) $("box").value = problem.box.join("x");
  if (!problem.box) $("latin").checked = true;
  $("alphabet").value = "";
  const keep = cursor;
  return check().then(() => {
    cursor = keep;
    redraw("grid");
  });
}

function typeCell() {
  const digit = Number($("cell").value.trim() || 0);
  const possible = Number.isInteger(digit) && digit >= 0 && digit <= problem.size;
  $("wrong-cell").textContent = possible ? "" : `A given is a whole number from 1 to ${problem.size}.`;
  if (possible) return type(cursor ?? 0, digit);
}

function gridKey(event) {
  if (!problem || problem.kind !== "grid") return;
  const { size } = problem;
  const moves = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -size, ArrowDown: size };
  if (event.key in moves) {
    cursor = Math.min(size * size - 1, Math.max(0, (cursor ?? 0) + moves[event.key]));
    $("wrong-cell").textContent = "";
    redraw("grid");
  } else if (!runner && cursor !== undefined && /^[0-9]$/.test(event.key)) {
    const longer = problem.givens[cursor] * 10 + Number(event.key);
    type(cursor, longer <= size ? longer : Number(event.key) <= size ? Number(event.key) : 0);
  } else if (!runner && cursor !== undefined && ["Delete", "Backspace"].includes(event.key)) {
    type(cursor, 0);
  } else return;
  event.preventDefault();
}

function agreementKey(event) {
  if (!problem) return;
  const { size } = problem;
  const moves = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -size, ArrowDown: size };
  if (!(event.key in moves)) return;
  pointed = Math.min(size * size - 1, Math.max(0, (pointed ?? 0) + moves[event.key]));
  redraw("agreement");
  event.preventDefault();
}

/* Running */

function say(text) {
  $("status").textContent = text;
}

function complain(sentence, remedy, action) {
  $("message").hidden = false;
  $("message").firstElementChild.textContent = sentence;
  $("remedy").hidden = !remedy;
  $("remedy").textContent = remedy ?? "";
  $("remedy").onclick = action ?? null;
}

function listen(message) {
  switch (message.kind) {
    case "started":
      shown.adapter = message.engine.backend === "gpu" ? `WebGPU: ${message.engine.adapter}` : `WebAssembly: ${message.engine.adapter}`;
      shown.header = message.engine.header ?? shown.header;
      if (message.engine.factor) shown.adapter += `, ${message.engine.factor.toPrecision(3)} times as fast as ${message.engine.other}`;
      break;
    case "progress": {
      const { records } = message;
      for (let at = 0; at < records.length; at += 7) shown.series.add(Array.from(records.subarray(at, at + 5)));
      if (records.length) [shown.generation, shown.evaluations] = [records.at(-7), records.at(-1)];
      shown.rows += message.rows;
      shown.operator = message.operator;
      shown.elapsed = message.elapsed;
      shown.rate.push([shown.generation, message.elapsed]);
      if (shown.rate.length > 40) shown.rate.shift();
      redraw("charts", "figures");
      break;
    }
    case "view":
      shown.view = message;
      redraw("grid", "agreement", "figures", ...(shown.steps ? [] : ["steps"]));
      break;
    case "steps":
      shown.steps = message;
      redraw("steps");
      break;
    case "paused":
      shown.paused = true;
      redraw("steps");
      say(`Paused at generation ${shown.generation}.`);
      buttons();
      break;
    case "fault":
      complain(`${message.sentence}. ${message.remedy}`);
      break;
  }
}

function buttons() {
  const busy = Boolean(runner || race);
  $("run").disabled = busy;
  $("race").disabled = busy;
  $("step").disabled = Boolean(race) || (Boolean(runner) && !shown.paused);
  $("stop").disabled = !busy;
  $("pause").disabled = !runner;
  $("pause").textContent = shown.paused && runner ? "Go on" : "Pause";
  // What is shown is of the fields as they are.
  for (const part of document.querySelectorAll("#form fieldset")) part.disabled = busy;
  document.documentElement.dataset.running = busy ? (shown.paused ? "paused" : "running") : "";
}

function options() {
  return { speed: SPEEDS[$("speed").value], picked: picked() };
}

function clearDataset() {
  for (const key of ["state", "generations", "bestFitness", "populationHash", "adapter", "race"]) delete document.documentElement.dataset[key];
}

async function run(paused = false) {
  const said = await check();
  if (!said || said.wrong.length || runner || race) {
    if (said?.wrong.length) Object.assign(document.documentElement.dataset, { state: "failed" });
    return;
  }
  clearDataset();
  $("message").hidden = true;
  const all = fields();
  const mine = new Engine();
  runner = mine;
  shown = fresh(all);
  shown.paused = false;
  history.replaceState(null, "", address(all));
  say("Running.");
  buttons();
  redraw("grid", "agreement", "charts", "figures", "steps");
  try {
    const { run: result, fault } = await mine.run(all, { ...options(), paused }, listen);
    shown.result = result;
    finished(result, fault);
  } catch (error) {
    failed(all, error);
  } finally {
    runner = null;
    shown.paused = false;
    mine.end();
    buttons();
    enableKeep();
    showText();
  }
}

function finished(result, fault) {
  const verdicts = {
    solved: "Solved and verified", generations: "Not solved, generations spent", evaluations: "Not solved, evaluations spent",
    time: "Not solved, time is up", stopped: "Stopped", fault: "The adapter failed",
  };
  const verdict = result.rejected ? "REJECTED by the independent check" : result.solved_by === "propagation" ? "Solved by propagation, verified" : verdicts[result.stop];
  say(`${verdict}: generation ${result.generations}, best ${result.best_fitness}, ${result.evaluations.toLocaleString("en")} evaluations, ${result.seconds.toFixed(2)} s.`);
  if (fault) complain(fault, "Go on in WebAssembly", goOn);
  const state = fault || result.rejected ? "failed" : result.solved ? "solved" : "stopped";
  Object.assign(document.documentElement.dataset, {
    generations: result.generations, bestFitness: result.best_fitness, populationHash: result.population_hash,
    adapter: result.adapter, state,
  });
}

function goOn() {
  $("backend").value = "cpu";
  run();
}

function failed(all, error) {
  say(shown.generation ? `The run has ended early, at generation ${shown.generation}. What was shown stays.` : "Not run.");
  const native = all.backend === "cpu";
  complain(`${error.died ? "The worker has died: " : ""}${error.message}`, native ? "Run again" : "Run in WebAssembly", native ? () => run() : goOn);
  Object.assign(document.documentElement.dataset, { generations: shown.generation, adapter: shown.adapter, state: "failed" });
}

async function startRace() {
  const said = await check();
  if (!said || said.wrong.length || runner || race) return;
  clearDataset();
  $("message").hidden = true;
  $("race-panel").hidden = false;
  $("race-panel").scrollIntoView({ block: "nearest" });
  say("Racing.");
  race = new Race(fields(), Math.max(1, Number($("race-stride").value) || 10), () => {});
  buttons();
  const [gpu, cpu] = await race.done;
  const equal = !race.different.length && race.compared > 0;
  const both = gpu.result && cpu.result;
  say(both ? `The race is over: ${equal ? "equal populations all the way" : "the populations DIFFER"}.` : "The race has ended early.");
  if (!both) complain(gpu.said || cpu.said);
  document.documentElement.dataset.race = both ? (equal ? "equal" : "different") : "failed";
  race = null;
  buttons();
}

/* Keeping */

function enableKeep() {
  const { view, result, rows } = shown;
  for (const id of ["keep-text", "keep-svg", "keep-png"]) $(id).disabled = !view;
  $("keep-json").disabled = !result;
  $("keep-trace").disabled = !rows;
}

async function showText() {
  if (!shown.view) return;
  $("grid-text").textContent = await desk.call("write", JSON.stringify(shown.fields), shown.view.best, "framed").catch((error) => error.message);
}

function keeping(action) {
  return async () => {
    $("wrong-keep").textContent = $("kept").textContent = "";
    try {
      $("kept").textContent = await action();
    } catch (error) {
      $("wrong-keep").textContent = error.message;
    }
  };
}

const picture = () => desk.call("picture", JSON.stringify(shown.fields), shown.view.best);

/** Of the run of the form, with what was not filled in as well: a later version may have other defaults. */
function link() {
  return address({ ...fields(), ...resolved }, "&autorun=1");
}

const keepers = {
  "keep-link": async () => ((await copy(link())) ? "The link is in the clipboard." : link()),
  "keep-command": async () => ((await copy($("command").textContent)) ? "The command is in the clipboard." : ""),
  "keep-json": () => save("run.json", `${JSON.stringify(shown.result)}\n`, "application/json") ?? "Saved run.json.",
  "keep-trace": () => save("trace.csv", shown.header + shown.rows, "text/csv") ?? "Saved trace.csv.",
  "keep-svg": async () => save("grid.svg", await picture(), "image/svg+xml") ?? "Saved grid.svg.",
  "keep-png": async () => save("grid.png", await png(await picture())) ?? "Saved grid.png.",
  "keep-text": async () => {
    const format = $("keep-format").value;
    save(`grid-${format}.txt`, await desk.call("write", JSON.stringify(shown.fields), shown.view.best, format));
    return `Saved grid-${format}.txt.`;
  },
};

/* Setting up */

function wire() {
  $("form").addEventListener("input", formChanged);
  $("form").addEventListener("submit", (event) => event.preventDefault());
  $("run").onclick = () => run();
  $("race").onclick = startRace;
  $("stop").onclick = () => {
    runner?.change({ mode: "stop" });
    race?.stop();
  };
  $("pause").onclick = () => {
    shown.paused = !shown.paused;
    runner?.change({ mode: shown.paused ? "pause" : "run" });
    if (!shown.paused) say("Running.");
    buttons();
  };
  $("step").onclick = () => {
    if (!runner) run(true).catch((error) => complain(error.message));
    else runner.change({ step: true, individual: picked() });
  };
  $("picked").oninput = () => {
    const individual = picked();
    runner?.change({ individual });
  };
  $("speed").oninput = () => {
    const speed = SPEEDS[$("speed").value];
    $("speed-said").textContent = speed ? `${speed} a second` : "full";
    runner?.change({ speed });
  };
  $("generate").onclick = async () => {
    $("wrong-generate").textContent = "";
    try {
      const seed = BigInt($("g-seed").value.trim() || "1");
      await take(await desk.call("generate", Number($("g-size").value), "", $("g-latin").checked, $("g-givens").value.trim(), seed));
    } catch (error) {
      $("wrong-generate").textContent = error.message;
    }
  };
  $("file").onchange = () => $("file").files[0] && open($("file").files[0]);
  for (const [kind, over] of [["dragover", true], ["dragleave", false], ["drop", false]]) {
    document.addEventListener(kind, (event) => {
      event.preventDefault();
      $("problem").classList.toggle("over", over);
      if (kind === "drop" && !runner && !race) drop(event.dataTransfer);
    });
  }
  $("grid").onkeydown = gridKey;
  $("grid").onpointerdown = (event) => {
    if (problem?.kind !== "grid") return;
    event.preventDefault();
    cursor = cellAt($("grid"), problem.size, event);
    $("wrong-cell").textContent = "";
    // Fingers need the keys of a screen.
    const field = event.pointerType === "mouse" || $("typing").hidden ? $("grid") : $("cell");
    field.focus();
    drawCell();
    if (field === $("cell")) $("cell").value = problem.givens[cursor] || "";
    redraw("grid");
  };
  $("cell").oninput = typeCell;
  for (const field of [$("grid"), $("cell")]) {
    field.onfocus = field.onblur = () => {
      cursor ??= 0;
      redraw("grid");
    };
  }
  $("agreement").onkeydown = agreementKey;
  $("agreement").onpointermove = (event) => {
    if (!problem) return;
    pointed = cellAt($("agreement"), problem.size, event);
    redraw("agreement");
  };
  for (const [id, action] of Object.entries(keepers)) $(id).onclick = keeping(action);
  const all = () => redraw("grid", "agreement", "charts", "steps");
  new ResizeObserver(all).observe($("watch"));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", all);
}

async function start() {
  if (typeof WebAssembly !== "object") throw new Error("This browser has no WebAssembly, and nothing runs here without.");
  catalogue = JSON.parse(await desk.call("catalogue"));
  list(catalogue);
  wire();
  const autorun = restore(catalogue);
  if (!$("problem").value) $("problem").value = catalogue.default;
  $("puzzle").value = [...$("puzzle").options].some((it) => it.value === $("problem").value) ? $("problem").value : "";
  formChanged.algorithm = chosen(catalogue)?.name;
  await check();
  document.documentElement.dataset.ready = "1";
  if (autorun) run();
  // Where there can be none, further runs need the server.
  navigator.serviceWorker?.register("offline.js").catch(() => {});
  const adapters = JSON.parse(await desk.call("adapters"));
  $("webgpu").textContent = adapters.length
    ? `WebGPU: ${adapters[0].name || adapters[0].driver || "an adapter without a name"}.`
    : "This browser has no WebGPU here, so that runs use WebAssembly on one core.";
  if (!adapters.length) $("race").title = "There is no WebGPU to race against.";
}

// A link to another run in the same window.
addEventListener("hashchange", () => location.reload());

start().catch((error) => {
  complain(`The page could not start: ${error.message}`, "Load again", () => location.reload());
  document.documentElement.dataset.state = "failed";
});
