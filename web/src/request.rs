//! From the fields of the page to what is to be run. Wrong fields are told with the sentences of the command line.

use std::time::Duration;

use gpusudoku::algo::{self, Algorithm, Info, Settings};
use gpusudoku::controller::{Budget, Config};
use gpusudoku::engine::Backend;
use gpusudoku::engine::gpu::adapter::AdapterChoice;
use gpusudoku::error::Error;
use gpusudoku::problem::NamedProblem;
use gpusudoku::problem::argument::{NamedGrid, asks_for_queens, grids, parse_box, problems};
use gpusudoku::problem::sudoku::builtin;
use gpusudoku::problem::sudoku::format::ReadOptions;
use serde::{Deserialize, Serialize};

/// The fields, as they are typed and as links have them; an empty one was not filled in.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct Fields {
    pub problem: String,
    pub r#box: String,
    pub latin: bool,
    pub alphabet: String,
    pub algo: String,
    pub pop: String,
    pub seed: String,
    pub backend: String,
    pub max_generations: String,
    pub max_evaluations: String,
    pub time_limit: String,
    /// Each `key=value`.
    pub set: Vec<String>,
}

/// What is wrong with a field.
#[derive(Debug, Serialize)]
pub struct Wrong {
    pub field: String,
    pub sentence: String,
}

/// What is to be run.
pub struct Request {
    pub problem: NamedProblem,
    pub settings: Settings,
    pub pop: usize,
    pub seed: u64,
    pub budget: Budget,
    pub backend: Backend,
}

impl Request {
    /// Reads all fields, or tells everything that is wrong with them.
    pub fn new(fields: &Fields) -> Result<Self, Vec<Wrong>> {
        let mut wrong = Vec::new();
        let mut tell = |field: &str, error: Error| {
            wrong.push(Wrong {
                field: field.to_owned(),
                sentence: error.to_string(),
            });
        };
        let problem = read(fields)
            .map_err(|(field, error)| tell(field, error))
            .ok();
        let info = info(fields).map_err(|error| tell("algo", error)).ok();
        let settings = info.map(|info| {
            let mut settings = Settings::new(info);
            for pair in &fields.set {
                if let Err(error) = settings.set_pair(pair) {
                    let key = pair.split('=').next().unwrap_or_default().trim();
                    tell(&format!("set-{key}"), error);
                }
            }
            settings
        });
        if let (Some((named, _)), Some(info)) = (&problem, info)
            && !algo::for_problem(&named.problem).contains(&info.name)
        {
            tell("algo", algo::not_for(info, named));
        }
        let pop = number("pop", &fields.pop, 1, 1 << 24);
        let pop = pop.map_err(|error| tell("pop", error)).ok();
        let seed = number("seed", &fields.seed, 0, u64::MAX);
        let seed = seed.map_err(|error| tell("seed", error)).ok();
        let generations = number(
            "max-generations",
            &fields.max_generations,
            0,
            u32::MAX.into(),
        );
        let generations = generations
            .map_err(|error| tell("max-generations", error))
            .ok();
        let evaluations = number("max-evaluations", &fields.max_evaluations, 1, u64::MAX);
        let evaluations = evaluations
            .map_err(|error| tell("max-evaluations", error))
            .ok();
        let limit = seconds(&fields.time_limit)
            .map_err(|error| tell("time-limit", error))
            .ok();
        let backend = backend(&fields.backend)
            .map_err(|error| tell("backend", error))
            .ok();
        let all = (
            problem,
            settings,
            pop,
            seed,
            generations,
            evaluations,
            limit,
            backend,
        );
        let (
            Some((problem, _)),
            Some(settings),
            Some(pop),
            Some(seed),
            Some(generations),
            Some(max_evaluations),
            Some(time_limit),
            Some(backend),
        ) = all
        else {
            return Err(wrong);
        };
        if !wrong.is_empty() {
            return Err(wrong);
        }
        let info = settings.info();
        let default = match max_evaluations {
            Some(_) => u32::MAX,
            None => Budget::of(info).max_generations,
        };
        Ok(Self {
            problem,
            pop: pop.map_or(info.pop, |pop| pop as usize),
            seed: seed.unwrap_or(1),
            budget: Budget {
                max_generations: generations.map_or(default, |number| number as u32),
                max_evaluations,
                time_limit,
            },
            backend,
            settings,
        })
    }

    /// What a run is told.
    pub fn config<'a>(&self, algorithm: &'a dyn Algorithm) -> Config<'a> {
        Config {
            algorithm,
            propagate: self.settings.propagation(),
            pop: self.pop,
            seed: self.seed,
            budget: self.budget,
            backend: self.backend.clone(),
        }
    }
}

/// The options under which the text of the problem is read.
pub fn options(fields: &Fields) -> Result<ReadOptions, (&'static str, Error)> {
    let boxes = match fields.r#box.trim() {
        "" => None,
        text => Some(parse_box(text).map_err(|reason| ("box", Error::Input(reason)))?),
    };
    let alphabet = match fields.alphabet.trim() {
        "" => None,
        text => {
            let alphabet = text.parse();
            Some(
                alphabet
                    .map_err(|_| ("alphabet", bad("alphabet", text, "1-9A-G, 0-F, A-P or A-Y")))?,
            )
        }
    };
    Ok(ReadOptions {
        boxes,
        latin: fields.latin,
        alphabet,
    })
}

/// The problem as the command line would be given it.
fn argument(fields: &Fields) -> &str {
    match fields.problem.trim() {
        "" => builtin::DEFAULT,
        // Blanks may be cells where there are many lines.
        trimmed if trimmed.contains('\n') => &fields.problem,
        trimmed => trimmed,
    }
}

/// The first grid of the text, whether or not its givens agree.
pub fn first_grid(fields: &Fields) -> Option<NamedGrid> {
    let grids = grids(argument(fields), &options(fields).ok()?).ok()?;
    grids.into_iter().next()
}

/// The first problem of the text, and how many there are.
pub fn read(fields: &Fields) -> Result<(NamedProblem, usize), (&'static str, Error)> {
    let options = options(fields)?;
    let mut problems = problems(argument(fields), &options).map_err(|error| ("problem", error))?;
    let many = problems.len();
    Ok((problems.swap_remove(0), many))
}

fn info(fields: &Fields) -> Result<&'static Info, Error> {
    match fields.algo.trim() {
        "" if asks_for_queens(fields.problem.trim()) => Ok(&algo::hgasa::INFO),
        "" => Ok(&algo::memetic::INFO),
        name => algo::find(name),
    }
}

fn bad(key: &str, value: &str, expected: impl Into<String>) -> Error {
    Error::BadValue {
        key: key.to_owned(),
        value: value.to_owned(),
        expected: expected.into(),
    }
}

fn number(key: &str, text: &str, least: u64, most: u64) -> Result<Option<u64>, Error> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    let number = text.parse().ok().filter(|it| (least..=most).contains(it));
    let expected = || format!("a whole number from {least} to {most}");
    number.map(Some).ok_or_else(|| bad(key, text, expected()))
}

fn seconds(text: &str) -> Result<Option<Duration>, Error> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    let seconds: Option<f64> = text.parse().ok().filter(|it| (0.0..=1e9).contains(it));
    let seconds = seconds.ok_or_else(|| bad("time-limit", text, "from 0 to 1000000000 seconds"))?;
    Ok(Some(Duration::from_secs_f64(seconds)))
}

fn backend(text: &str) -> Result<Backend, Error> {
    match text.trim() {
        "" | "auto" => Ok(Backend::Auto { threads: 1 }),
        "cpu" => Ok(Backend::Cpu { threads: 1 }),
        "webgpu" | "gpu" => Ok(Backend::Gpu {
            adapter: AdapterChoice::Best,
            mapping: None,
        }),
        other => Err(bad("backend", other, "auto or webgpu or cpu")),
    }
}

/// The command that does the same.
pub fn command(fields: &Fields) -> String {
    let mut words = vec!["gpusudoku".to_owned(), "run".to_owned()];
    if !fields.problem.trim().is_empty() {
        words.push(quoted(fields.problem.trim()));
    }
    if fields.latin {
        words.push("--latin".to_owned());
    }
    let backend = match fields.backend.trim() {
        "webgpu" => "gpu",
        other => other,
    };
    for (flag, value) in [
        ("--box", &*fields.r#box),
        ("--alphabet", &*fields.alphabet),
        ("--algo", &*fields.algo),
        ("--pop", &*fields.pop),
        ("--seed", &*fields.seed),
        ("--backend", backend),
        ("--max-generations", &*fields.max_generations),
        ("--max-evaluations", &*fields.max_evaluations),
        ("--time-limit", &*fields.time_limit),
    ] {
        if !value.trim().is_empty() {
            words.extend([flag.to_owned(), quoted(value.trim())]);
        }
    }
    for pair in &fields.set {
        words.extend(["--set".to_owned(), quoted(pair)]);
    }
    words.join(" ")
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=.:,%".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}
