// Grids and boards on a canvas: the best of a run, agreement, and the steps of one individual.

/** Colours of the style sheet, as they are now. */
export function colours() {
  const style = getComputedStyle(document.documentElement);
  return (name) => style.getPropertyValue(`--${name}`).trim();
}

/** Gives a canvas as many pixels as the screen has there. Returns its width and height in CSS pixels. */
export function fit(canvas) {
  const ratio = devicePixelRatio || 1;
  const { width, height } = canvas.getBoundingClientRect();
  const [w, h] = [Math.max(1, Math.round(width * ratio)), Math.max(1, Math.round(height * ratio))];
  if (canvas.width !== w || canvas.height !== h) {
    canvas.width = w;
    canvas.height = h;
  }
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return { context, width, height };
}

/** The cell below a point of the page. */
export function cellAt(canvas, size, event) {
  const box = canvas.getBoundingClientRect();
  const col = Math.floor(((event.clientX - box.left) / box.width) * size);
  const row = Math.floor(((event.clientY - box.top) / box.height) * size);
  return Math.min(size - 1, Math.max(0, row)) * size + Math.min(size - 1, Math.max(0, col));
}

function lines(context, problem, side, colour) {
  const { size, box } = problem;
  const unit = side / size;
  for (let line = 0; line <= size; line++) {
    for (const [upright, each] of [[true, box?.[1]], [false, box?.[0]]]) {
      const strong = line === 0 || line === size || (each && line % each === 0);
      context.strokeStyle = colour(strong ? "strong-line" : "line");
      context.lineWidth = strong ? (size > 36 ? 1 : 1.5) : 0.5;
      const at = Math.min(side - 0.5, Math.max(0.5, line * unit));
      context.beginPath();
      context.moveTo(upright ? at : 0, upright ? 0 : at);
      context.lineTo(upright ? at : side, upright ? side : at);
      context.stroke();
    }
  }
}

/**
 * Draws a problem with values. `marks` has, all optional: `conflicts` and `changed`, a flag for each cell, and `cursor`, a
 * cell.
 */
export function drawGrid(canvas, problem, values, marks = {}) {
  const { context, width: side } = fit(canvas);
  const colour = colours();
  const { size } = problem;
  const unit = side / size;
  context.fillStyle = colour("card");
  context.fillRect(0, 0, side, side);
  if (problem.kind === "queens") {
    drawQueens(context, problem, values, marks, unit, colour);
  } else {
    context.textAlign = "center";
    context.textBaseline = "middle";
    for (let cell = 0; cell < size * size; cell++) {
      const [x, y] = [(cell % size) * unit, Math.floor(cell / size) * unit];
      const given = problem.givens[cell] > 0;
      if (given || marks.changed?.[cell]) {
        context.fillStyle = colour(marks.changed?.[cell] ? "changed" : "tint");
        context.fillRect(x, y, unit, unit);
      }
      const value = values?.[cell] ?? 0;
      const wrong = marks.conflicts?.[cell];
      if (value) {
        context.font = `${given ? 700 : 400} ${unit * (value > 9 ? 0.5 : 0.6)}px system-ui, "DejaVu Sans", sans-serif`;
        context.fillStyle = colour(wrong ? "wrong" : given ? "ink" : "accent");
        context.fillText(value, x + unit / 2, y + unit * 0.54);
      }
      if (wrong) corner(context, x, y, unit, colour("wrong"));
      if (marks.changed?.[cell]) {
        context.strokeStyle = colour("ink");
        context.lineWidth = 1.5;
        context.strokeRect(x + 1.5, y + 1.5, unit - 3, unit - 3);
      }
    }
  }
  lines(context, problem, side, colour);
  if (marks.cursor !== undefined) {
    context.strokeStyle = colour("accent");
    context.lineWidth = 3;
    context.strokeRect((marks.cursor % size) * unit + 1.5, Math.floor(marks.cursor / size) * unit + 1.5, unit - 3, unit - 3);
  }
}

/** What says "conflict" without colour. */
function corner(context, x, y, unit, colour) {
  context.fillStyle = colour;
  context.beginPath();
  context.moveTo(x + unit, y);
  context.lineTo(x + unit, y + unit * 0.28);
  context.lineTo(x + unit * 0.72, y);
  context.fill();
}

function drawQueens(context, { size }, values, marks, unit, colour) {
  if (unit >= 4) {
    context.fillStyle = colour("tint");
    for (let cell = 0; cell < size * size; cell++) {
      const [row, col] = [Math.floor(cell / size), cell % size];
      if ((row + col) % 2) context.fillRect(col * unit, row * unit, unit, unit);
    }
  }
  for (let col = 0; col < (values?.length ?? 0); col++) {
    const wrong = marks.conflicts?.[col];
    const [x, y] = [col * unit, values[col] * unit];
    context.fillStyle = colour(wrong ? "wrong" : "accent");
    context.beginPath();
    context.arc(x + unit / 2, y + unit / 2, Math.max(1, unit * 0.34), 0, 2 * Math.PI);
    context.fill();
    if (wrong && unit > 6) corner(context, x, y, unit, colour("wrong"));
    if (marks.changed?.[col]) {
      context.strokeStyle = colour("ink");
      context.strokeRect(x + 1, y + 1, unit - 2, unit - 2);
    }
  }
}

/** How many values of each cell there are in the array of a view, each with its count. */
const FREQUENT = 3;

/** Draws how much individuals agree; of queens, a column's rows. */
export function drawAgreement(canvas, problem, agreement, pop, cursor) {
  const { context, width: side } = fit(canvas);
  const colour = colours();
  const { size } = problem;
  const unit = side / size;
  context.fillStyle = colour("card");
  context.fillRect(0, 0, side, side);
  context.textAlign = "center";
  context.textBaseline = "middle";
  const cells = agreement ? agreement.length / (2 * FREQUENT) : 0;
  const queens = problem.kind === "queens";
  for (let cell = 0; cell < cells; cell++) {
    for (let at = 0; at < (queens ? FREQUENT : 1); at++) {
      const value = agreement[(cell * FREQUENT + at) * 2];
      const share = agreement[(cell * FREQUENT + at) * 2 + 1] / pop;
      const [row, col] = queens ? [value, cell] : [Math.floor(cell / size), cell % size];
      // Of queens even the most frequent rows are rare.
      context.globalAlpha = queens ? Math.sqrt(share) : share * share;
      context.fillStyle = colour("accent");
      context.fillRect(col * unit, row * unit, unit, unit);
      context.globalAlpha = 1;
      if (!queens && unit >= 14 && value < 255) {
        context.font = `${unit * 0.5}px system-ui, "DejaVu Sans", sans-serif`;
        context.fillStyle = colour(share > 0.75 ? "on-accent" : "ink");
        context.fillText(value + 1, (col + 0.5) * unit, (row + 0.54) * unit);
      }
    }
  }
  lines(context, problem, side, colour);
  if (cursor !== undefined) {
    context.strokeStyle = colour("ink");
    context.lineWidth = 2.5;
    context.strokeRect((cursor % size) * unit + 1, Math.floor(cursor / size) * unit + 1, unit - 2, unit - 2);
  }
}

/** A sentence on what individuals have in a cell. */
export function sayAgreement(problem, agreement, pop, cell) {
  const queens = problem.kind === "queens";
  const [row, col] = [Math.floor(cell / problem.size), cell % problem.size];
  const at = queens ? col : cell;
  const parts = [];
  for (let rank = 0; rank < FREQUENT; rank++) {
    const value = agreement[(at * FREQUENT + rank) * 2];
    const count = agreement[(at * FREQUENT + rank) * 2 + 1];
    if (!count) continue;
    const name = queens ? `row ${value + 1}` : value === 255 ? "a hole" : String(value + 1);
    parts.push(`${name} in ${((100 * count) / pop).toFixed(count === pop ? 0 : 1)} %`);
  }
  const place = queens ? `Column ${col + 1}` : `Row ${row + 1}, column ${col + 1}`;
  return `${place}: ${parts.join(", ")}.`;
}
