//! Loops that are marked, written out: a block for each turn. Drivers unroll short loops only, and Mesa's software driver
//! looks a place in an array up thread by thread unless it is a constant. A loop that stays counts its turns, so that none
//! runs for ever: on a Radeon each turn takes ten instructions for that.
//!
//! ```text
//! for (var k = 0u; k < SIZE; k++) { // unroll                           always
//! for (var k = 0u; k < SIZE; k++) { // unroll to 32                     if there are no more turns than these
//! for (var i = lane; i < run.genes; i += LANES) { // lanes of GENES     if lanes take few turns for so many
//! ```

use std::borrow::Cow;

use super::compose::Line;

/// The most turns of lanes that are written out: with more the code of large grids would be long, and there a turn does
/// more.
const MOST_TURNS: usize = 6;

/// A loop that can be written out.
struct Loop<'a> {
    indent: &'a str,
    name: &'a str,
    turns: Turns<'a>,
}

enum Turns<'a> {
    /// The name is a constant, from a value up to another.
    Constants { first: usize, end: usize },
    /// Lanes take this many turns under a condition.
    Lanes {
        condition: &'a str,
        lanes: usize,
        count: usize,
    },
}

/// What bounds may be: known names, numbers, and sums of these.
fn bound(text: &str, known: &[(&str, usize)]) -> Option<usize> {
    let term = |term: &str| match known.iter().find(|(name, _)| *name == term) {
        Some((_, value)) => Some(*value),
        None => term.trim_end_matches('u').parse().ok(),
    };
    text.split(" + ").map(term).sum()
}

impl<'a> Loop<'a> {
    /// What a line begins, unless it stays as it is.
    fn parse(line: &'a str, known: &[(&str, usize)]) -> Result<Option<Self>, &'static str> {
        let Some((head, mark)) = line.split_once(") { // ") else {
            return Ok(None);
        };
        let most_of_lanes = mark.strip_prefix("lanes of ");
        let most = match mark.strip_prefix("unroll to ") {
            Some(most) => most.parse().map_err(|_| "there is no number")?,
            None => usize::MAX,
        };
        if mark != "unroll" && most == usize::MAX && most_of_lanes.is_none() {
            return Ok(None);
        }
        let (indent, head) = head
            .split_once("for (var ")
            .ok_or("there is no `for (var`")?;
        let parts: Vec<_> = head.split("; ").collect();
        let [start, condition, step] = parts[..] else {
            return Err("there is more than a start and an end");
        };
        let (name, first) = start.split_once(" = ").ok_or("there is no start")?;
        let (_, end) = condition.split_once(" < ").ok_or("there is no end")?;
        let turns = match most_of_lanes {
            Some(things) => {
                if first != "lane" || step != format!("{name} += LANES") {
                    return Err("lanes take no turns");
                }
                let things = bound(things, known);
                let (Some(things), Some(lanes)) = (things, bound("LANES", known)) else {
                    return Err("a bound is no constant");
                };
                Turns::Lanes {
                    condition,
                    lanes,
                    count: things.div_ceil(lanes),
                }
            }
            None => {
                let (Some(first), Some(end)) = (bound(first, known), bound(end, known)) else {
                    return Err("a bound is no constant");
                };
                Turns::Constants { first, end }
            }
        };
        let stays = match turns {
            Turns::Constants { first, end } => end.saturating_sub(first) > most,
            Turns::Lanes { count, .. } => count > MOST_TURNS,
        };
        let known_loop = Self {
            indent,
            name,
            turns,
        };
        Ok((!stays).then_some(known_loop))
    }

    /// The lines before the body in each turn, and the value of the name if it is a constant.
    fn turns(&self) -> Vec<(Vec<String>, Option<usize>)> {
        let Self { indent, name, .. } = self;
        match self.turns {
            Turns::Constants { first, end } => {
                let turn = |value| {
                    let constant = format!("{indent}    const {name} = {value}u;");
                    (vec![format!("{indent}{{"), constant], Some(value))
                };
                (first..end).map(turn).collect()
            }
            Turns::Lanes {
                condition,
                lanes,
                count,
            } => {
                let turn = |turn| {
                    let place = format!("{indent}{{ let {name} = lane + {}u;", turn * lanes);
                    (vec![place, format!("{indent}if {condition} {{")], None)
                };
                (0..count).map(turn).collect()
            }
        }
    }

    /// The line behind the body.
    fn close(&self) -> String {
        match self.turns {
            Turns::Constants { .. } => format!("{}}}", self.indent),
            Turns::Lanes { .. } => format!("{}}} }}", self.indent),
        }
    }
}

/// The same lines with every marked loop written out. Known are the names that bounds may have. An error is a
/// line's number and what is wrong with it.
pub(super) fn unroll<'a>(
    lines: &[Line<'a>],
    known: &[(&str, usize)],
) -> Result<Vec<Line<'a>>, (usize, String)> {
    let mut unrolled = Vec::new();
    let mut rest = lines.iter();
    while let Some(line) = rest.next() {
        let number = line.number;
        let wrong = |what| (number, format!("{what} in a loop to unroll: {}", line.text));
        let Some(known_loop) = Loop::parse(&line.text, known).map_err(wrong)? else {
            unrolled.push(line.clone());
            continue;
        };
        let body = rest.as_slice();
        let closes = |line: &Line<'_>| line.text.strip_prefix(known_loop.indent) == Some("}");
        let length = body
            .iter()
            .position(closes)
            .ok_or_else(|| wrong("there is no end"))?;
        let made = |text: String| Line {
            text: Cow::Owned(text),
            number,
        };
        for (opening, value) in known_loop.turns() {
            let mut known = known.to_vec();
            known.extend(value.map(|value| (known_loop.name, value)));
            unrolled.extend(opening.into_iter().map(made));
            unrolled.extend(unroll(&body[..length], &known)?);
            unrolled.push(made(known_loop.close()));
        }
        rest = body[length + 1..].iter();
    }
    Ok(unrolled)
}
