// Lines over generations on a canvas. However long a run is, no more than some thousand points are kept and drawn.

import { colours, fit } from "./grid.js";

const MOST = 2048;

/** Generations and some values of each, thinned out as there come more. */
export class Series {
  constructor(width) {
    this.width = width;
    this.rows = [];
    this.every = 1;
    this.seen = 0;
    this.last = null;
  }

  /** Adds a row: a generation, then values. */
  add(row) {
    if (this.seen++ % this.every === 0) this.rows.push(row);
    this.last = row;
    if (this.rows.length >= MOST) {
      this.rows = this.rows.filter((_, at) => at % 2 === 0);
      this.every *= 2;
    }
  }

  all() {
    const { rows, last } = this;
    return last && rows[rows.length - 1] !== last ? [...rows, last] : rows;
  }
}

const scales = {
  // Fitness spans from hundreds to 0, which has to be seen.
  log: { map: (y) => Math.log1p(y), ticks: [0, 1, 3, 10, 30, 100, 300, 1000, 3000, 10000, 100000] },
  share: { map: (y) => y, ticks: [0, 0.25, 0.5, 0.75, 1] },
};

/**
 * Draws lines: `names[i]` is the name of value i + 1 of each row. Each has its own dashes and its name at its end, so that
 * they are told apart without colour.
 */
export function drawChart(canvas, series, names, scale) {
  const { context, width, height } = fit(canvas);
  const colour = colours();
  const { map, ticks } = scales[scale];
  const rows = series.all();
  const [left, right, top, bottom] = [42, 58, 8, 24];
  const generations = Math.max(1, rows.at(-1)?.[0] ?? 1);
  let highest = scale === "share" ? 0.05 : 1;
  for (const row of rows) for (let at = 1; at <= names.length; at++) highest = Math.max(highest, row[at]);
  const x = (generation) => left + ((width - left - right) * generation) / generations;
  const y = (value) => top + (height - top - bottom) * (1 - map(value) / map(highest));
  context.font = '12px system-ui, "DejaVu Sans", sans-serif';
  context.lineWidth = 1;
  context.textBaseline = "middle";
  for (const tick of ticks.filter((tick) => tick <= highest)) {
    context.strokeStyle = colour("line");
    context.beginPath();
    context.moveTo(left, y(tick));
    context.lineTo(width - right, y(tick));
    context.stroke();
    context.fillStyle = colour("soft");
    context.textAlign = "right";
    context.fillText(tick, left - 6, y(tick));
  }
  context.textAlign = "center";
  for (let part = 0; part <= 4; part++) {
    const generation = Math.round((generations * part) / 4);
    if (part % 4 === 0 || generations >= 4) context.fillText(generation, x(generation), height - 9);
  }
  const dashes = [[], [6, 4], [2, 3]];
  const labels = [];
  names.forEach((name, at) => {
    context.strokeStyle = colour(at === 0 ? "accent" : at === 1 ? "ink" : "soft");
    context.lineWidth = at === 0 ? 2.2 : 1.4;
    context.setLineDash(dashes[at]);
    context.beginPath();
    rows.forEach((row, index) => {
      const [px, py] = [x(row[0]), y(row[at + 1])];
      if (index) context.lineTo(px, py);
      else context.moveTo(px, py);
    });
    context.stroke();
    if (rows.length) labels.push({ name, y: y(rows.at(-1)[at + 1]), colour: context.strokeStyle });
  });
  context.setLineDash([]);
  context.textAlign = "left";
  // Names that would cover each other move apart.
  labels.sort((a, b) => b.y - a.y);
  let below = height - bottom + 8;
  for (const label of labels) {
    label.y = Math.min(label.y, below - 13);
    below = label.y;
    context.fillStyle = label.colour;
    context.fillText(label.name, width - right + 6, Math.max(6, label.y));
  }
  const last = rows.at(-1);
  const said = last ? names.map((name, at) => `${name} ${Number(last[at + 1].toPrecision(4))}`).join(", ") : "nothing yet";
  canvas.setAttribute("aria-label", `${canvas.id} up to generation ${last?.[0] ?? 0}: ${said}`);
}
