//! From the flags of `gpusudoku run` to what is to be run. Nothing is run here.

use std::fs::{File, Metadata};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use gpusudoku::algo::{self, Algorithm, Info, Settings};
use gpusudoku::checkpoint::{Checkpoint, RunPlan};
use gpusudoku::codec::{Codec, DecodeError};
use gpusudoku::controller::{self, Budget, Config, RunState};
use gpusudoku::engine::Backend;
use gpusudoku::engine::cpu::threads_for;
use gpusudoku::engine::gpu::adapter::{self, AdapterChoice};
use gpusudoku::engine::gpu::shaders::Mapping;
use gpusudoku::problem::NamedProblem;
use gpusudoku::problem::sudoku::builtin;
use gpusudoku::problem::sudoku::propagate::Level;

use super::exit::Failure;
use super::input::{asks_for_queens, problems};
use super::processes::Processes;
use super::run::{BackendName, LayoutName, RunArgs};

/// Seconds from one checkpoint to the next, if nobody says.
const CHECKPOINT_EVERY: Duration = Duration::from_secs(30);

/// How many individuals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pop {
    Count(usize),
    /// As many as fit.
    Auto,
}

impl FromStr for Pop {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(Self::Auto),
            text => text
                .parse()
                .map(Self::Count)
                .map_err(|error| format!("{error}; expected a number, or auto")),
        }
    }
}

/// What is to be run.
pub struct Request {
    pub problems: Vec<NamedProblem>,
    pub settings: Settings,
    pub pop: Pop,
    pub seed: u64,
    /// Of each problem.
    pub runs: u32,
    pub budget: Budget,
    pub backend: Backend,
    /// Where to go on.
    pub from: Option<RunState>,
    /// Where to save it, and how often.
    pub save: Option<(PathBuf, Duration)>,
    /// What the user should know once it has started.
    pub notice: Option<String>,
}

impl Request {
    /// The algorithm that is asked for.
    pub fn info(args: &RunArgs) -> Result<&'static Info, Failure> {
        if let Some(name) = &args.algo {
            return Ok(algo::find(name)?);
        }
        Ok(match asks_for_queens(&args.problem) {
            true => &algo::hgasa::INFO,
            false => &algo::memetic::INFO,
        })
    }

    /// Whether the run may look for adapters, as far as the flags tell: nothing is read here, standard
    /// input least of all.
    pub fn may_look_for_adapters(args: &RunArgs) -> bool {
        let flags = DeviceFlags::of(args);
        // What is refused looks for nothing.
        if check(args).is_err() {
            return false;
        }
        match args.backend {
            BackendName::Cpu => false,
            BackendName::Gpu | BackendName::CpuGpu => true,
            BackendName::Auto if flags.given().is_some() => true,
            // Only the file knows.
            BackendName::Auto if args.resume.is_some() => true,
            BackendName::Auto => {
                let threads = args.threads.map_or(0, usize::from);
                Self::suits_gpu(args, Backend::Auto { threads }).unwrap_or(false)
            }
        }
    }

    /// Whether a GPU would be taken if there was one.
    fn suits_gpu(args: &RunArgs, backend: Backend) -> Result<bool, Failure> {
        let info = Self::info(args)?;
        let algorithm = settings(args, info)?.build();
        // Queens need not be read, and one grid is as good as another.
        let problem = match asks_for_queens(&args.problem) {
            true => problems(&args.problem, &args.read)?.remove(0).problem,
            false => {
                let any = builtin::find(builtin::DEFAULT).expect("there is a default");
                any.puzzle().clone().into()
            }
        };
        let config = Config {
            algorithm: &*algorithm,
            propagate: Level::None,
            pop: match args.pop {
                Some(Pop::Auto) => controller::LARGEST_AUTOMATIC,
                Some(Pop::Count(pop)) => pop,
                None => info.pop,
            },
            seed: args.seed,
            budget: budget(args, info),
            backend,
        };
        Ok(controller::looks_for_adapters(&problem, &config))
    }

    /// The settings of one of its runs. With `--pop auto` the population is still to be found.
    pub fn config<'a>(&self, algorithm: &'a dyn Algorithm, run: u32) -> Config<'a> {
        Config {
            algorithm,
            propagate: self.settings.propagation(),
            pop: match self.pop {
                Pop::Count(pop) => pop,
                Pop::Auto => self.settings.info().pop,
            },
            seed: self.seed.wrapping_add(u64::from(run)),
            budget: self.budget,
            backend: self.backend.clone(),
        }
    }

    /// Reads what the flags name, and refuses what cannot be. Of several processes one does so, and tells the others.
    pub fn resolve(args: &RunArgs, processes: &Processes) -> Result<Self, Failure> {
        let team = processes.team();
        let mut request = match team.leads() {
            true => {
                let mut request = Self::read(args)?;
                team.broadcast(0, request.words())?;
                request
            }
            false => Self::told(team.broadcast(0, Vec::new())?)?,
        };
        check(args)?;
        let flags = DeviceFlags::of(args);
        request.backend = flags.backend(args.backend, args.threads, processes)?;
        Ok(request)
    }

    fn read(args: &RunArgs) -> Result<Self, Failure> {
        check(args)?;
        let mut request = match &args.resume {
            Some(path) => Self::saved(args, path)?,
            None => Self::new(args)?,
        };
        let several = request.problems.len() > 1 || request.runs > 1;
        if several && args.checkpoint.is_some() {
            return Err(Failure::bad_input(format!(
                "--checkpoint is for one run, and these are {}; `gpusudoku compare --out FILE` keeps the \
                 finished ones of many",
                request.problems.len() * request.runs as usize
            )));
        }
        for saved in args.checkpoint.iter().chain(&args.resume) {
            if args.trace.as_ref().is_some_and(|it| are_one(it, saved)) {
                return Err(Failure::bad_input(format!(
                    "{} cannot be both a trace and a checkpoint",
                    saved.display()
                )));
            }
        }
        if let (Some(path), false) = (&args.checkpoint, args.overwrite) {
            request.spare(path, args.resume.as_deref())?;
        }
        Ok(request)
    }

    /// Spares what is where the run is to be saved: this run goes on from there, and another one is not
    /// destroyed.
    fn spare(&mut self, path: &Path, resumed: Option<&Path>) -> Result<(), Failure> {
        // Nothing is lost with an empty file. What is no file cannot be written, as will be said then.
        let holds_something = |it: Metadata| it.is_file() && it.len() > 0;
        if !path.metadata().is_ok_and(holds_something)
            || resumed.is_some_and(|resumed| are_one(resumed, path))
        {
            return Ok(());
        }
        let name = path.display();
        let there = read(path).map_err(|reason| {
            Failure::bad_input(format!(
                "{name} would be overwritten, and is no checkpoint to go on from: {reason}; expected \
                 another file, or --overwrite"
            ))
        })?;
        let pop = match self.pop {
            Pop::Count(pop) => Some(pop),
            // What fits now may be more or less than what fitted then.
            Pop::Auto => None,
        };
        let problem = &self.problems[0].problem;
        let generation = there.state.generation();
        if let Some(difference) = there.difference(problem, &self.settings, pop, self.seed) {
            return Err(Failure::bad_input(format!(
                "{name} has generation {generation} of another run, with another {difference}; expected \
                 another file, --resume {name} to go on with that run, or --overwrite"
            )));
        }
        if let Some(from) = &self.from {
            return match from.generation() < generation {
                true => Err(Failure::bad_input(format!(
                    "{name} has generation {generation} of this run, and it would go on from generation \
                     {}; expected another file, --resume {name}, or --overwrite",
                    from.generation()
                ))),
                false => Ok(()),
            };
        }
        self.notice = Some(format!(
            "{name}: going on from generation {generation} of this run; --overwrite would begin anew"
        ));
        self.pop = Pop::Count(there.pop);
        self.budget.time_limit = from_now(self.budget.time_limit, &there.state);
        // The name that stands in its trace.
        self.problems = vec![there.problem];
        self.from = Some(there.state);
        Ok(())
    }

    fn new(args: &RunArgs) -> Result<Self, Failure> {
        let info = Self::info(args)?;
        let problems = problems(&args.problem, &args.read)?;
        let settings = settings(args, info)?;
        Ok(Self {
            problems,
            settings,
            pop: args.pop.unwrap_or(Pop::Count(info.pop)),
            seed: args.seed,
            runs: args.runs,
            budget: changed(budget(args, info), args)?,
            backend: NOWHERE_YET,
            from: None,
            save: save(args)?,
            notice: None,
        })
    }

    /// The run that a file was saved of.
    fn saved(args: &RunArgs, path: &Path) -> Result<Self, Failure> {
        let checkpoint = read(path).map_err(|reason| {
            Failure::bad_input(format!("cannot resume {}: {reason}", path.display()))
        })?;
        let mut budget = changed(checkpoint.budget, args)?;
        if args.time_limit.is_some() {
            budget.time_limit = from_now(budget.time_limit, &checkpoint.state);
        }
        Ok(Self {
            problems: vec![checkpoint.problem],
            settings: checkpoint.settings,
            pop: Pop::Count(checkpoint.pop),
            seed: checkpoint.seed,
            runs: 1,
            budget,
            backend: NOWHERE_YET,
            from: Some(checkpoint.state),
            save: save(args)?,
            notice: None,
        })
    }
}

/// What a request says before devices are looked at.
const NOWHERE_YET: Backend = Backend::Cpu { threads: 0 };

/// What one process tells the others of a request.
impl Request {
    fn words(&mut self) -> Vec<u32> {
        let pop = match self.pop {
            Pop::Count(pop) => pop,
            Pop::Auto => 1,
        };
        let (settings, seed, budget) = (&self.settings, self.seed, self.budget);
        let plan = |problem: &NamedProblem| RunPlan {
            problem: problem.clone(),
            settings: settings.clone(),
            pop,
            seed,
            budget,
        };
        let mut plans: Vec<_> = self.problems.iter().map(|it| plan(it).words()).collect();
        let mut is_auto = self.pop == Pop::Auto;
        Codec::write(|codec| {
            codec.persist(&mut is_auto)?;
            codec.persist(&mut self.runs)?;
            let mut problems = plans.len() as u32;
            codec.persist(&mut problems)?;
            for words in &mut plans {
                codec.persist(words)?;
            }
            let mut resumes = self.from.is_some();
            codec.persist(&mut resumes)?;
            match &mut self.from {
                Some(from) => codec.persist(from),
                None => Ok(()),
            }
        })
    }

    fn told(words: Vec<u32>) -> Result<Self, Failure> {
        let mut request = None;
        let read = Codec::read(words, |codec| {
            let (mut is_auto, mut runs, mut problems) = (false, 0u32, 0u32);
            codec.persist(&mut is_auto)?;
            codec.persist(&mut runs)?;
            codec.persist(&mut problems)?;
            let mut plans = Vec::new();
            for _ in 0..problems {
                let mut words = Vec::new();
                codec.persist(&mut words)?;
                plans.push(RunPlan::from_words(words).map_err(|_| DecodeError)?);
            }
            let first = plans.first().ok_or(DecodeError)?;
            let mut resumes = false;
            codec.persist(&mut resumes)?;
            let mut from = None;
            if resumes {
                let mut state = RunState::blank(first.problem.problem.form());
                codec.persist(&mut state)?;
                from = Some(state);
            }
            request = Some(Self {
                settings: first.settings.clone(),
                pop: match is_auto {
                    true => Pop::Auto,
                    false => Pop::Count(first.pop),
                },
                seed: first.seed,
                runs,
                budget: first.budget,
                backend: NOWHERE_YET,
                from,
                // The first process writes.
                save: None,
                notice: None,
                problems: plans.into_iter().map(|plan| plan.problem).collect(),
            });
            Ok(())
        });
        match (read, request) {
            (Ok(()), Some(request)) => Ok(request),
            _ => Err(Failure::bad_input(
                "the first process has told of a run that this one does not know: expected the same program \
                 everywhere",
            )),
        }
    }
}

/// Reads a checkpoint, or says why it is none.
fn read(path: &Path) -> Result<Checkpoint, String> {
    if path.is_dir() {
        return Err("it is a directory".to_owned());
    }
    let file = File::open(path).map_err(|error| error.to_string())?;
    Checkpoint::read(file).map_err(|error| error.to_string())
}

/// A limit for the part of a run that begins now, as one for all of its parts.
fn from_now(limit: Option<Duration>, state: &RunState) -> Option<Duration> {
    limit.map(|limit| limit.saturating_add(state.elapsed))
}

fn settings(args: &RunArgs, info: &'static Info) -> Result<Settings, Failure> {
    let mut settings = Settings::new(info);
    for pair in &args.set {
        settings.set_pair(pair)?;
    }
    Ok(settings)
}

/// The budget of an algorithm.
fn budget(args: &RunArgs, info: &Info) -> Budget {
    let budget = Budget::of(info);
    Budget {
        max_generations: match args.max_evaluations {
            Some(_) => u32::MAX,
            None => budget.max_generations,
        },
        ..budget
    }
}

/// Whether two paths lead to one file, there already or not.
fn are_one(path: &Path, other: &Path) -> bool {
    let place = |path: &Path| path.canonicalize().or_else(|_| std::path::absolute(path));
    matches!((place(path), place(other)), (Ok(one), Ok(two)) if one == two)
}

/// A budget with what the flags say.
fn changed(budget: Budget, args: &RunArgs) -> Result<Budget, Failure> {
    let limit = args.time_limit.map(|limit| seconds("--time-limit", limit));
    Ok(Budget {
        max_generations: args.max_generations.unwrap_or(budget.max_generations),
        max_evaluations: args.max_evaluations.or(budget.max_evaluations),
        time_limit: limit.transpose()?.or(budget.time_limit),
    })
}

fn save(args: &RunArgs) -> Result<Option<(PathBuf, Duration)>, Failure> {
    let every = args
        .checkpoint_every
        .map_or(Ok(CHECKPOINT_EVERY), |every| {
            seconds("--checkpoint-every", every)
        })?;
    Ok(args.checkpoint.clone().map(|path| (path, every)))
}

/// Refuses flags that do not go together. Nothing is looked for.
fn check(args: &RunArgs) -> Result<(), Failure> {
    DeviceFlags::of(args).check(args.backend, args.threads)?;
    match (args.jobs, args.backend) {
        (Some(_), BackendName::Gpu) => {
            Err(Failure::bad_input("--jobs does not go with --backend gpu"))
        }
        (Some(_), BackendName::CpuGpu) => Err(Failure::bad_input(
            "--jobs does not go with --backend cpu+gpu",
        )),
        _ => Ok(()),
    }
}

/// What flags say of a device.
pub struct DeviceFlags<'a> {
    pub adapter: Option<&'a str>,
    pub layout: Option<LayoutName>,
}

impl<'a> DeviceFlags<'a> {
    /// Those of a run.
    fn of(args: &'a RunArgs) -> Self {
        Self {
            adapter: args.adapter.as_deref(),
            layout: args.layout,
        }
    }

    /// The first of them that is given.
    fn given(&self) -> Option<&'static str> {
        let given = [
            ("adapter", self.adapter.is_some()),
            ("layout", self.layout.is_some()),
        ];
        let given = given.into_iter().find(|&(_, given)| given);
        given.map(|(flag, _)| flag)
    }

    /// Refuses what does not go together.
    fn check(&self, backend: BackendName, threads: Option<u16>) -> Result<(), Failure> {
        if let (Some(flag), BackendName::Cpu) = (self.given(), backend) {
            return Err(Failure::bad_input(format!(
                "--{flag} does not go with --backend cpu"
            )));
        }
        if threads.is_some() && backend == BackendName::Gpu {
            return Err(Failure::bad_input(
                "--threads does not go with --backend gpu",
            ));
        }
        let mut names = self.adapter.into_iter().flat_map(|names| names.split(','));
        if names.any(|name| name.trim().is_empty()) {
            return Err(Failure::bad_input(
                "--adapter is empty: expected a name or a number of `gpusudoku adapters`, several with commas \
                 between them, or all",
            ));
        }
        Ok(())
    }

    /// Where to run. Processes of one machine take its adapters in turns, and share its cores.
    pub fn backend(
        self,
        backend: BackendName,
        threads: Option<u16>,
        processes: &Processes,
    ) -> Result<Backend, Failure> {
        self.check(backend, threads)?;
        let team = processes.team();
        let (number, mates) = processes.local();
        let threads = match threads {
            Some(threads) => usize::from(threads),
            None if mates == 1 => 0,
            None => (threads_for(0) / mates).max(1),
        };
        let is_choice = backend == BackendName::Auto && self.given().is_none();
        if is_choice && team.is_alone() {
            return Ok(Backend::Auto { threads });
        }
        let mut places = Vec::new();
        if matches!(backend, BackendName::Cpu | BackendName::CpuGpu) {
            places.push(Backend::Cpu { threads });
        }
        // Who names an adapter or a layout wants the GPU engine.
        if backend != BackendName::Cpu {
            let mut adapters = match (self.adapter, is_choice) {
                (_, true) => all_adapters(false),
                (None, _) if team.is_alone() => vec![AdapterChoice::Best],
                (None | Some("all"), _) => all_adapters(true),
                (Some(names), _) => { names.split(',').map(str::trim) }
                    .map(AdapterChoice::from)
                    .collect(),
            };
            if !team.is_alone() && !adapters.is_empty() {
                adapters = vec![adapters.swap_remove(number % adapters.len())];
            }
            let mapping = self.layout.map(Mapping::from);
            places.extend(
                adapters
                    .into_iter()
                    .map(|adapter| Backend::Gpu { adapter, mapping }),
            );
        }
        if places.is_empty() {
            // A choice without a GPU.
            places.push(Backend::Cpu { threads });
        }
        Ok(Backend::shared(places, team)?)
    }
}

/// All real GPUs; if there are none, software adapters where these will do, or else the sentence about that.
fn all_adapters(software_will_do: bool) -> Vec<AdapterChoice> {
    let all = pollster::block_on(adapter::list());
    let some = |software| {
        let some = all.iter().filter(move |it| it.software == software);
        some.map(|it| AdapterChoice::Index(it.index)).collect()
    };
    let real: Vec<_> = some(false);
    match (real.is_empty(), software_will_do) {
        (false, _) => real,
        (true, false) => Vec::new(),
        (true, true) if all.is_empty() => vec![AdapterChoice::Best],
        (true, true) => some(true),
    }
}

fn seconds(flag: &str, seconds: f64) -> Result<Duration, Failure> {
    const MOST: f64 = 1e9;
    if !(0.0..=MOST).contains(&seconds) {
        return Err(Failure::bad_input(format!(
            "{flag} {seconds} is not possible: expected from 0 to {MOST} seconds"
        )));
    }
    Ok(Duration::from_secs_f64(seconds))
}
