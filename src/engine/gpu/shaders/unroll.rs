//! Loops that are marked `// unroll`, written out: a block for each turn. Those that are marked `// unroll to 32` stay
//! loops if they have more turns. Drivers unroll short loops only, and
//! Mesa's software driver looks a place in an array up thread by thread unless it is a constant.

use std::borrow::Cow;

use super::compose::Line;

/// The head of a loop that is marked, and the most turns that are written out.
fn marked(line: &str) -> Option<(&str, usize)> {
    if let Some(head) = line.strip_suffix(") { // unroll") {
        return Some((head, usize::MAX));
    }
    let (head, most) = line.split_once(") { // unroll to ")?;
    Some((head, most.parse().ok()?))
}

/// The same lines with every marked loop written out. Known are the names that bounds may have. An error is a
/// line's number and what is wrong with it.
pub(super) fn unroll<'a>(
    lines: &[Line<'a>],
    known: &[(&str, usize)],
) -> Result<Vec<Line<'a>>, (usize, String)> {
    let bound = |text: &str| -> Option<usize> {
        let term = |term: &str| match known.iter().find(|(name, _)| *name == term) {
            Some((_, value)) => Some(*value),
            None => term.trim_end_matches('u').parse().ok(),
        };
        text.split(" + ").map(term).sum()
    };
    let mut unrolled = Vec::new();
    let mut rest = lines.iter();
    while let Some(line) = rest.next() {
        let Some((head, most)) = marked(&line.text) else {
            unrolled.push(line.clone());
            continue;
        };
        let number = line.number;
        let wrong = |what: &str| (number, format!("{what} in a loop to unroll: {}", line.text));
        let (indent, head) = head
            .split_once("for (var ")
            .ok_or_else(|| wrong("there is no `for (var`"))?;
        let parts: Vec<_> = head.split([';', '<', '=']).map(str::trim).collect();
        let [name, first, _, end, _] = parts[..] else {
            return Err(wrong("there is more than a start and an end"));
        };
        let body = rest.as_slice();
        let closes = |line: &Line<'_>| line.text.strip_prefix(indent) == Some("}");
        let length = body
            .iter()
            .position(closes)
            .ok_or_else(|| wrong("there is no end"))?;
        let [first, end] = [first, end].map(bound);
        let (Some(first), Some(end)) = (first, end) else {
            return Err(wrong("a bound is no constant"));
        };
        if end.saturating_sub(first) > most {
            unrolled.push(line.clone());
            continue;
        }
        let made = |text: String| Line {
            text: Cow::Owned(text),
            number,
        };
        for value in first..end {
            let known = [known, &[(name, value)]].concat();
            unrolled.push(made(format!("{indent}{{")));
            unrolled.push(made(format!("{indent}    const {name} = {value}u;")));
            unrolled.extend(unroll(&body[..length], &known)?);
            unrolled.push(made(format!("{indent}}}")));
        }
        rest = body[length + 1..].iter();
    }
    Ok(unrolled)
}
