"""Results as HTML, for notebooks."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .running import Result


def result(it: Result) -> str:
    """The grid beside the curve of the best and the mean."""
    grid = "" if it.givens is None else _grid(it.best, it.givens)
    return f"<p>{escape(repr(it)[1:-1])}</p><div style='display:flex;gap:2em'>{grid}{_curve(it.trace)}</div>"


def _grid(grid: Any, givens: Any) -> str:
    size = len(grid)
    rows = []
    for row, fixed in zip(grid.tolist(), givens.tolist()):
        cells = "".join(
            f"<td style='border:1px solid #999;padding:2px 5px;text-align:center'>"
            f"{f'<b>{digit}</b>' if given else digit or ''}</td>"
            for digit, given in zip(row, fixed)
        )
        rows.append(f"<tr>{cells}</tr>")
    return f"<table style='border-collapse:collapse' aria-label='{size}x{size} grid'>{''.join(rows)}</table>"


def _curve(trace: Any, width: int = 360, height: int = 220) -> str:
    """Best and mean over generations; few enough points for a page."""
    if len(trace) < 2:
        return ""
    step = max(1, len(trace) // width)
    points = trace[::step]
    last, most = max(1, int(trace["generation"][-1])), max(1.0, float(trace["mean"].max()))

    def line(column: str, colour: str) -> str:
        places = " ".join(
            f"{width * float(g) / last:.1f},{height * (1 - float(v) / most):.1f}"
            for g, v in zip(points["generation"], points[column])
        )
        return f"<polyline fill='none' stroke='{colour}' stroke-width='1.5' points='{places}'/>"

    return (
        f"<svg width='{width}' height='{height + 20}' role='img' aria-label='fitness over generations'>"
        f"{line('mean', '#999')}{line('best', '#06c')}"
        f"<text x='0' y='{height + 15}' font-size='11'>best (blue) and mean fitness, {last} generations</text></svg>"
    )
