//! Parameters of algorithms as users see them: a key, a default from the paper, a range.

use std::fmt;

use serde::Serialize;

use super::Info;
use crate::error::Error;
use crate::problem::sudoku::propagate::Level;
use crate::rng::Rate;

/// A parameter of an algorithm.
#[derive(Debug, Clone, Copy)]
pub struct Param {
    /// What `--set` takes.
    pub key: &'static str,
    /// The values it can have.
    pub kind: Kind,
    /// The paper's value, in the form in which users write it.
    pub default: &'static str,
    /// What it does, in a line.
    pub meaning: &'static str,
    /// Where the default comes from.
    pub source: &'static str,
}

/// Source of a parameter that the paper leaves open.
pub(super) const READING: &str = "reading";
/// Source of what was found by measuring: `docs/large-grids.md`.
pub(super) const MEASURED: &str = "measured";
/// What can be switched on and off.
pub(super) const SWITCH: Kind = Kind::Choice(&["on", "off"]);

/// A parameter, as the algorithms list them.
pub(super) const fn param(
    key: &'static str,
    kind: Kind,
    default: &'static str,
    meaning: &'static str,
    source: &'static str,
) -> Param {
    Param {
        key,
        kind,
        default,
        meaning,
        source,
    }
}

/// The parameter that every algorithm has.
pub(super) const fn propagate(default: &'static str, source: &'static str) -> Param {
    param(
        PROPAGATE,
        Kind::Choice(&["none", "singles", "locked", "probing", "nested"]),
        default,
        "constraint propagation before the first generation: naked and hidden singles, also \
         pointing and claiming, also singleton probing, also nested probing",
        source,
    )
}

const PROPAGATE: &str = "propagate";

/// The values that a parameter can have.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// A probability.
    Rate,
    /// A number, from the first to the second.
    Number(f64, f64),
    /// A whole number, from the first to the second.
    Count(u32, u32),
    /// The same, or `all`.
    CountOrAll(u32, u32),
    /// One of some words.
    Choice(&'static [&'static str]),
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rate => write!(f, "a probability from 0 to 1"),
            Self::Number(least, most) => write!(f, "a number from {least} to {most}"),
            Self::Count(least, most) => write!(f, "a whole number from {least} to {most}"),
            Self::CountOrAll(least, most) => {
                write!(f, "a whole number from {least} to {most}, or all")
            }
            Self::Choice(words) => write!(f, "{}", words.join(" or ")),
        }
    }
}

impl Kind {
    fn parse(self, text: &str) -> Option<Value> {
        let count = |least, most| {
            let count = text.parse().ok()?;
            (least..=most)
                .contains(&count)
                .then_some(Value::Count(count))
        };
        match self {
            Self::Rate => {
                let rate = text.parse().ok()?;
                Rate::new(rate).map(|_| Value::Number(rate))
            }
            Self::Number(least, most) => {
                let number = text.parse().ok()?;
                (least..=most)
                    .contains(&number)
                    .then_some(Value::Number(number))
            }
            Self::Count(least, most) => count(least, most),
            Self::CountOrAll(..) if text == "all" => Some(Value::Word("all")),
            Self::CountOrAll(least, most) => count(least, most),
            Self::Choice(words) => words
                .iter()
                .find(|&&word| word == text)
                .map(|word| Value::Word(word)),
        }
    }
}

/// The value of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Value {
    /// A probability or another number.
    Number(f64),
    /// A whole number.
    Count(u32),
    /// One of the words of the parameter.
    Word(&'static str),
}

/// A value for every parameter of an algorithm.
#[derive(Debug, Clone)]
pub struct Settings {
    info: &'static Info,
    values: Vec<Value>,
}

impl Settings {
    /// The paper's values.
    pub fn new(info: &'static Info) -> Self {
        let default = |param: &Param| {
            param.kind.parse(param.default).unwrap_or_else(|| {
                panic!(
                    "{}: the default of {} is not one of its values",
                    info.name, param.key
                )
            })
        };
        Self {
            info,
            values: info.params.iter().map(default).collect(),
        }
    }

    /// The algorithm whose settings they are.
    pub fn info(&self) -> &'static Info {
        self.info
    }

    /// Sets a parameter from what the user wrote.
    pub fn set(&mut self, key: &str, text: &str) -> Result<(), Error> {
        let params = self.info.params;
        let at = params
            .iter()
            .position(|param| param.key == key)
            .ok_or_else(|| Error::UnknownParameter {
                algo: self.info.name,
                key: key.to_owned(),
                known: params
                    .iter()
                    .map(|param| param.key)
                    .collect::<Vec<_>>()
                    .join(", "),
            })?;
        self.values[at] = params[at].kind.parse(text).ok_or_else(|| Error::BadValue {
            key: key.to_owned(),
            value: text.to_owned(),
            expected: params[at].kind.to_string(),
        })?;
        Ok(())
    }

    /// Sets a parameter from `key=value`.
    pub fn set_pair(&mut self, pair: &str) -> Result<(), Error> {
        let (key, value) = pair.split_once('=').ok_or_else(|| Error::BadValue {
            key: "a parameter".to_owned(),
            value: pair.to_owned(),
            expected: "key=value".to_owned(),
        })?;
        self.set(key.trim(), value.trim())
    }

    /// Every parameter with its value.
    pub fn iter(&self) -> impl Iterator<Item = (&'static Param, Value)> + '_ {
        self.info.params.iter().zip(self.values.iter().copied())
    }

    /// The algorithm with these settings.
    pub fn build(&self) -> Box<dyn super::Algorithm> {
        (self.info.build)(self)
    }

    /// How far propagation goes before the first generation. An algorithm from outside may lack the
    /// parameter, and has none then.
    pub fn propagation(&self) -> Level {
        let mut params = self.iter();
        match params.find(|(param, _)| param.key == PROPAGATE) {
            Some((_, Value::Word(word))) => Level::parse(word).unwrap_or(Level::None),
            _ => Level::None,
        }
    }

    /// The value of a probability.
    ///
    /// # Panics
    /// If the algorithm has no such parameter of that kind, as the others do.
    pub fn rate(&self, key: &str) -> Rate {
        Rate::new(self.number(key)).expect("checked when it was set")
    }

    /// The value of a number.
    pub fn number(&self, key: &str) -> f64 {
        match self.value(key) {
            Value::Number(number) => number,
            other => panic!("{key} = {other:?} is not a number"),
        }
    }

    /// The value of a whole number; `all` is the largest there is.
    pub fn count(&self, key: &str) -> u32 {
        match self.value(key) {
            Value::Count(count) => count,
            Value::Word("all") => u32::MAX,
            other => panic!("{key} = {other:?} is not a count"),
        }
    }

    /// Whether something is switched on.
    pub fn on(&self, key: &str) -> bool {
        self.word(key) == "on"
    }

    /// The value of a choice.
    pub fn word(&self, key: &str) -> &'static str {
        match self.value(key) {
            Value::Word(word) => word,
            other => panic!("{key} = {other:?} is not a word"),
        }
    }

    fn value(&self, key: &str) -> Value {
        let found = self.iter().find(|(param, _)| param.key == key);
        found
            .unwrap_or_else(|| panic!("{} has no parameter {key}", self.info.name))
            .1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algo::{self, Task};
    use crate::problem::sudoku::builtin;
    use crate::problem::{Instance, Reduction};

    #[test]
    fn every_algorithm_builds_with_every_value_that_its_choices_have() {
        let puzzle = builtin::find("easy-1").unwrap().puzzle();
        let instance = Instance::from(Reduction::new(puzzle, Level::None).unwrap());
        let task = Task {
            instance: &instance,
            pop: 2,
            seed: 1,
        };
        let stage = |settings: &Settings| {
            let algorithm = settings.build();
            let stage = algorithm.begin(&task).stage();
            let representation = algorithm.representation(&instance).unwrap();
            (stage.plan.check(representation, task.pop), stage)
        };
        for info in algo::ALL {
            stage(&Settings::new(info)).0.unwrap();
            for param in info.params {
                let mut settings = Settings::new(info);
                let extremes = match param.kind {
                    Kind::Rate => vec!["0".to_owned(), "1".to_owned()],
                    Kind::Number(least, most) => vec![least.to_string(), most.to_string()],
                    Kind::Count(least, most) => vec![least.to_string(), most.to_string()],
                    Kind::CountOrAll(least, most) => {
                        vec![least.to_string(), most.to_string(), "all".to_owned()]
                    }
                    Kind::Choice(words) => words.iter().map(|word| (*word).to_owned()).collect(),
                };
                for value in extremes {
                    settings.set(param.key, &value).unwrap();
                    let (checked, stage) = stage(&settings);
                    // What is too much for this population is refused, and nothing else.
                    assert!(
                        checked.is_ok() || param.key == "batch",
                        "{} {}={value}: {checked:?}",
                        info.name,
                        param.key
                    );
                    assert!(stage.generations > 0, "{}", info.name);
                }
            }
        }
    }

    #[test]
    fn impossible_values_are_refused_in_one_sentence() {
        let mut settings = Settings::new(algo::find("lsga").unwrap());
        let mut refused = |pair: &str| settings.set_pair(pair).unwrap_err().to_string();
        assert_eq!(
            refused("pc1=1.5"),
            "pc1 = \"1.5\" is not possible: expected a probability from 0 to 1"
        );
        assert!(refused("pc1=nan").contains("expected a probability"));
        assert!(refused("elite=-1").contains("expected a whole number from 0"));
        assert!(refused("accept=maybe").contains("expected not-worse or better"));
        assert!(
            refused("speed=9").starts_with("lsga has no parameter \"speed\"; its parameters are ")
        );
        assert!(refused("pc1").contains("expected key=value"));
    }
}
