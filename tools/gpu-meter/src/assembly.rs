//! ACO's assembly as text: lines with operands and modifiers, labels, and addresses. What a line does is the business of
//! the files that are named after classes of instructions.

use std::collections::HashMap;

/// A program, line by line.
#[derive(Debug, Clone, Default)]
pub struct Listing {
    /// Instructions in their order.
    pub lines: Vec<Line>,
    /// The instruction that each label stands before.
    pub labels: HashMap<String, usize>,
    /// The words of the program, with constants behind the code.
    pub words: Vec<u32>,
}

/// An instruction as it is written.
#[derive(Debug, Clone, Default)]
pub struct Line {
    /// Its name.
    pub name: String,
    /// What stands between commas.
    pub operands: Vec<String>,
    /// What stands behind the last operand.
    pub modifiers: Vec<String>,
    /// Where it stands in memory, in bytes from the beginning of the program.
    pub address: u32,
    /// All of it.
    pub text: String,
}

/// Scalar registers that have names.
pub const VCC: usize = 106;
/// What indexed moves and some LDS instructions read.
pub const M0: usize = 124;
/// Reads as 0.
pub const NULL: usize = 125;
/// The lanes that take part.
pub const EXEC: usize = 126;
/// How many scalar registers there are.
pub const SCALARS: usize = 128;

/// What an instruction reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operand {
    /// A scalar register, or the first of some.
    Scalar(usize),
    /// A vector register, or the first of some.
    Vector(usize),
    /// A number, extended by its sign.
    Literal(i64),
    /// The condition that scalar instructions leave behind.
    Condition,
    /// Whether no lane takes part.
    NoLane,
    /// Whether the mask of comparisons is empty.
    NoResult,
}

impl Operand {
    /// The register so many places behind this one.
    pub fn next(self, places: usize) -> Self {
        match self {
            Self::Scalar(register) => Self::Scalar(register + places),
            Self::Vector(register) => Self::Vector(register + places),
            other => other,
        }
    }
}

impl Listing {
    /// Reads a program.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut listing = Self::default();
        for raw in text.lines() {
            let (code, encoding) = raw.split_once(';').unwrap_or((raw, ""));
            let code = code.trim();
            if code.is_empty() {
                continue;
            }
            if let Some(label) = code.strip_suffix(':') {
                let at = listing.lines.len();
                listing.labels.insert(label.to_owned(), at);
                continue;
            }
            let mut line = Line::parse(code).unwrap_or_else(|_| Line {
                name: code.to_owned(),
                text: code.to_owned(),
                ..Line::default()
            });
            line.address = 4 * listing.words.len() as u32;
            listing.words.extend(encoding_words(encoding));
            listing.lines.push(line);
        }
        match listing.lines.is_empty() {
            true => Err("the assembly has no instruction".to_owned()),
            false => Ok(listing),
        }
    }

    /// The instruction at a label.
    pub fn target(&self, label: &str) -> Result<usize, String> {
        let found = self.labels.get(label).copied();
        found.ok_or_else(|| format!("there is no label {label}"))
    }
}

/// Words of 8 hexadecimal digits that follow a semicolon: the encoding of the instruction.
fn encoding_words(comment: &str) -> impl Iterator<Item = u32> {
    let word = |text: &str| {
        u32::from_str_radix(text, 16)
            .ok()
            .filter(|_| text.len() == 8)
    };
    comment.split_whitespace().map_while(word)
}

impl Line {
    /// Reads an instruction.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let (name, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let mut operands = split(rest, ',');
        let mut modifiers = Vec::new();
        if let Some(last) = operands.last_mut() {
            let mut words = split(last, ' ').into_iter();
            let first = words.next().unwrap_or_default();
            modifiers = words.collect();
            *last = first;
        }
        if operands.iter().any(String::is_empty) {
            return Err(format!("an operand is missing: {text}"));
        }
        Ok(Self {
            name: name.to_owned(),
            operands,
            modifiers,
            address: 0,
            text: text.to_owned(),
        })
    }

    /// Says what is wrong with it.
    pub fn error(&self, what: &str) -> String {
        format!("{what}: {}", self.text)
    }

    /// An operand that is read.
    pub fn operand(&self, at: usize) -> Result<Operand, String> {
        let text = self.operands.get(at);
        let text = text.ok_or_else(|| self.error("too few operands"))?;
        operand(text).ok_or_else(|| self.error(&format!("{text} is no operand")))
    }

    /// A scalar register.
    pub fn scalar(&self, at: usize) -> Result<usize, String> {
        match self.operand(at)? {
            Operand::Scalar(register) => Ok(register),
            _ => Err(self.error("a scalar register is missing")),
        }
    }

    /// A vector register.
    pub fn vector(&self, at: usize) -> Result<usize, String> {
        match self.operand(at)? {
            Operand::Vector(register) => Ok(register),
            _ => Err(self.error("a vector register is missing")),
        }
    }

    /// A number of 16 bits with a sign.
    pub fn short(&self, at: usize) -> Result<u32, String> {
        match self.operand(at)? {
            Operand::Literal(value) => Ok(value as u16 as i16 as u32),
            _ => Err(self.error("a number is missing")),
        }
    }

    /// Whether a modifier without value is there.
    pub fn has(&self, modifier: &str) -> bool {
        self.modifiers.iter().any(|known| known == modifier)
    }

    /// What stands behind `name:`.
    pub fn value(&self, name: &str) -> Option<&str> {
        let mut values = self.modifiers.iter().filter_map(|it| it.strip_prefix(name));
        values.find_map(|value| value.strip_prefix(':'))
    }

    /// The number that stands behind `name:`, 0 if there is none.
    pub fn number(&self, name: &str) -> Result<u32, String> {
        match self.value(name) {
            None => Ok(0),
            Some(text) => match literal(text) {
                Some(value) => Ok(value as u32),
                None => Err(self.error(&format!("{name} is no number"))),
            },
        }
    }

    /// Refuses modifiers that are none of these.
    pub fn only(&self, known: &[&str]) -> Result<(), String> {
        for modifier in &self.modifiers {
            let name = modifier.split(':').next().unwrap_or_default();
            if !known.contains(&name) {
                return Err(self.error(&format!("the modifier {name} is unknown")));
            }
        }
        Ok(())
    }
}

/// Parts of a text outside of brackets, without spaces around them.
fn split(text: &str, separator: char) -> Vec<String> {
    let mut parts = Vec::new();
    let (mut depth, mut part) = (0, String::new());
    for c in text.chars() {
        match c {
            '[' | '(' => depth += 1,
            ']' | ')' => depth -= 1,
            _ => {}
        }
        if c == separator && depth == 0 {
            parts.push(std::mem::take(&mut part));
        } else {
            part.push(c);
        }
    }
    parts.push(part);
    let parts = parts.into_iter().map(|part| part.trim().to_owned());
    match separator {
        ' ' => parts.filter(|part| !part.is_empty()).collect(),
        _ if text.trim().is_empty() => Vec::new(),
        _ => parts.collect(),
    }
}

/// A number.
fn literal(text: &str) -> Option<i64> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let value = match digits.strip_prefix("0x") {
        Some(digits) => i64::from_str_radix(digits, 16).ok()?,
        None if digits.contains('.') => {
            let value: f32 = digits.parse().ok()?;
            let value = if negative { -value } else { value };
            return Some(i64::from(value.to_bits()));
        }
        None => digits.parse().ok()?,
    };
    Some(if negative { -value } else { value })
}

/// A register, the first of some, or a number.
fn operand(text: &str) -> Option<Operand> {
    let named = match text {
        "vcc" | "vcc_lo" => Some(Operand::Scalar(VCC)),
        "vcc_hi" => Some(Operand::Scalar(VCC + 1)),
        "m0" => Some(Operand::Scalar(M0)),
        "null" => Some(Operand::Scalar(NULL)),
        "exec" | "exec_lo" => Some(Operand::Scalar(EXEC)),
        "exec_hi" => Some(Operand::Scalar(EXEC + 1)),
        "src_scc" | "scc" => Some(Operand::Condition),
        "src_execz" => Some(Operand::NoLane),
        "src_vccz" => Some(Operand::NoResult),
        _ => None,
    };
    if named.is_some() {
        return named;
    }
    if let Some(value) = literal(text) {
        return Some(Operand::Literal(value));
    }
    let number = text.get(1..)?;
    let number = match number.strip_prefix('[') {
        Some(range) => range.strip_suffix(']')?.split(':').next()?,
        None => number,
    };
    let register: usize = number.parse().ok()?;
    match text.as_bytes().first()? {
        b's' if register < VCC => Some(Operand::Scalar(register)),
        b'v' if register < 256 => Some(Operand::Vector(register)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_operands_modifiers_and_addresses() {
        let text = "BB0:\n\ts_mov_b32 s0, 0x10 ; be8003ff 00000010\n\
                    BB1:\n\tbuffer_load_dword v1, v2, s[4:7], 0 offen offset:16 ; e0301010 80010102\n";
        let listing = Listing::parse(text).unwrap();
        assert_eq!(listing.target("BB1"), Ok(1));
        let [first, second] = &listing.lines[..] else {
            panic!("two instructions");
        };
        assert_eq!(first.operand(1), Ok(Operand::Literal(16)));
        assert_eq!(second.address, 8);
        assert_eq!(second.operand(2), Ok(Operand::Scalar(4)));
        assert!(second.has("offen"));
        assert_eq!(second.number("offset"), Ok(16));
        assert!(second.only(&["offen"]).is_err());
    }

    #[test]
    fn operands_are_registers_numbers_or_errors() {
        let expected = [
            ("s7", Some(Operand::Scalar(7))),
            ("s[10:11]", Some(Operand::Scalar(10))),
            ("v255", Some(Operand::Vector(255))),
            ("vcc_hi", Some(Operand::Scalar(107))),
            ("exec", Some(Operand::Scalar(EXEC))),
            ("-1", Some(Operand::Literal(-1))),
            ("0xffffffff", Some(Operand::Literal(0xffff_ffff))),
            ("1.0", Some(Operand::Literal(0x3f80_0000))),
            ("-0.5", Some(Operand::Literal(0xbf00_0000))),
            ("s200", None),
            ("q1", None),
            ("", None),
        ];
        for (text, wanted) in expected {
            assert_eq!(operand(text), wanted, "{text}");
        }
    }

    #[test]
    fn swizzles_and_lists_stay_in_one_piece() {
        let line = Line::parse("ds_swizzle_b32 v1, v2 offset:swizzle(SWAP,16)").unwrap();
        assert_eq!(line.value("offset"), Some("swizzle(SWAP,16)"));
        let line = Line::parse("v_mov_b32_dpp v1, v2 quad_perm:[1,0,3,2] row_mask:0xf").unwrap();
        assert_eq!(line.value("quad_perm"), Some("[1,0,3,2]"));
        assert_eq!(line.number("row_mask"), Ok(15));
    }

    #[test]
    fn what_is_no_program_is_refused() {
        assert!(Listing::parse("; nothing\n").is_err());
        assert!(Line::parse("s_mov_b32 s0,, s1").is_err());
        assert!(Listing::parse("s_nop 0\n").unwrap().target("BB7").is_err());
    }
}
