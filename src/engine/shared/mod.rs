//! One population that several devices, or several processes, make together. Not a bit of it depends on how many they
//! are or of what kind.
//!
//! That is so because random numbers depend on (seed, generation, individual) only, and because individuals read the
//! old population and write the new one: a share of a generation can be made anywhere. Each process has the whole
//! population in mind, as its native engine holds it, but after a generation it knows its own share only:
//!
//! ```text
//!               process 0                      process 1
//!    +-----------+-----------+    +-----------+-----------+
//!    | native    | device    |    | native    | device    |   workers, each with a share
//!    +-----------+-----------+    +-----------+-----------+
//!    make        make             make        make            the share of the generation
//!    '-----> survey <--------'    '-----> survey <--------'
//!               '------- records, the best --------'          so that all go on, or end, as one
//!               '....... shares, if anybody .......'          before the next generation, if its operator
//!                        reads anybody                        reads others ([`Ancestry`])
//! ```
//!
//! Survey, learning and the choice of the best of the run are the native engine's, and the same in every process.

mod balance;
pub mod cut;
mod known;
#[cfg(feature = "mpi")]
pub mod mpi;
mod observe;
pub mod team;

pub(crate) use self::observe::Boundary;

use std::ops::Range;

use web_time::Instant;

use self::balance::Balance;
use self::cut::Cut;
use self::team::{Team, Told};
use super::cpu::CpuEngine;
use super::gpu::GpuEngine;
use super::gpu::share::{MadeShare, ShareTask};
use super::snapshot::{Emigrants, SavedAuxiliary};
use super::{Backend, EngineInfo, Setup};
use crate::error::Error;
use crate::operators::{Ancestry, Start, Variation};
use crate::plan::{Learn, Plan, Representation};
use crate::population::{Population, Record, words_of};

/// Places that share a population, and the process's team.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sharing {
    /// Where this process works: the native engine at most once, and adapters, of which one may stand twice.
    pub places: Vec<Backend>,
    /// The processes that share the population.
    pub team: Team,
}

/// A population of which others make a share, too.
pub struct SharedEngine {
    /// The population as far as it is known here. It has a share of its own if the native engine is to work.
    host: Box<CpuEngine>,
    host_works: bool,
    devices: Vec<Device>,
    team: Team,
    /// Room for what processes tell each other of their shares.
    outgoing: Vec<u32>,
    told: Told,
    /// The workers of each process.
    workers: Vec<Range<usize>>,
    cut: Cut,
    balance: Balance,
    /// Whether everybody is known here, not only who was made here.
    whole: bool,
    /// Individuals of an island, if there are islands.
    island: usize,
    /// The place that has failed.
    lost: Option<usize>,
    info: EngineInfo,
    pop: usize,
}

/// Shares of the workers of a process.
struct Shares {
    /// Nobody, if the native engine does not work.
    native: Range<usize>,
    devices: Vec<Range<usize>>,
}

/// What they have made, and in how many seconds.
struct Made {
    native: (u64, f64),
    devices: Vec<std::thread::Result<(Result<MadeShare, Error>, f64)>>,
}

/// A device with a share.
struct Device {
    engine: GpuEngine,
    /// Of the current generation, whom it knows.
    known: Range<usize>,
}

impl SharedEngine {
    /// Sets the workers of this process up. All processes of the team do this.
    pub async fn new(sharing: &Sharing, setup: &Setup<'_>) -> Result<Self, Error> {
        let mut devices = Vec::new();
        let mut threads = None;
        for place in &sharing.places {
            match place {
                Backend::Cpu { threads: wanted } => threads = Some(*wanted),
                Backend::Gpu { adapter, mapping } => devices.push(Device {
                    engine: GpuEngine::new(setup, adapter, *mapping).await?,
                    known: 0..0,
                }),
                Backend::Auto { .. } | Backend::Shared(_) => {
                    unreachable!("places are engines: Backend::shared makes sure")
                }
            }
        }
        let host = CpuEngine::new(setup, threads.unwrap_or(1))?;
        let team = sharing.team.clone();
        let here = u32::from(threads.is_some()) + devices.len() as u32;
        let info = info(&host, threads.is_some(), &devices, &team)?;
        let mut next = 0;
        let workers: Vec<_> = team.gather(&[here])?.concat();
        let workers: Vec<_> = { workers.into_iter() }
            .map(|count| {
                let first = next;
                next += count as usize;
                first..next
            })
            .collect();
        Ok(Self {
            host: host.into(),
            host_works: threads.is_some(),
            devices,
            cut: Cut::new(setup.pop, 1, &vec![1; next]),
            balance: Balance::new(here as usize),
            workers,
            team,
            outgoing: Vec::new(),
            told: Told::default(),
            whole: true,
            island: 1,
            lost: None,
            info,
            pop: setup.pop,
        })
    }

    /// What runs the population, in all processes.
    pub fn info(&self) -> &EngineInfo {
        &self.info
    }

    /// What the individuals are.
    pub fn representation(&self) -> Representation {
        self.host.representation()
    }

    /// How many individuals there are.
    pub fn pop(&self) -> usize {
        self.pop
    }

    /// The population as far as it is known here.
    pub fn host(&self) -> &CpuEngine {
        &self.host
    }

    /// The processes that share the population.
    pub fn team(&self) -> &Team {
        &self.team
    }

    /// The shares of all workers, in the order of processes.
    pub fn cut(&self) -> &Cut {
        &self.cut
    }

    /// Whether a place can fail and leave its share to others.
    pub fn may_fail(&self) -> bool {
        self.team.is_alone() && !self.devices.is_empty()
    }

    /// The place that has failed.
    pub fn lost(&self) -> Option<usize> {
        self.lost
    }

    /// Gives the devices up, of which one has failed.
    pub fn abandon(self) {
        let lost = self.lost;
        let first = usize::from(self.host_works);
        for (at, device) in self.devices.into_iter().enumerate() {
            // The others are as good as they were.
            if lost == Some(first + at) {
                device.engine.abandon();
            }
        }
    }

    /// Makes the initial population, generation 0.
    pub async fn initialise(&mut self, start: &Start) -> Result<Record, Error> {
        self.host.begin();
        let operator = Variation::Renew(start.clone());
        let swaps = self.make(&operator, (0, 0)).await?;
        self.survey(0, swaps)?;
        Ok(self.host.record())
    }

    /// Runs generations until one is solved, at most so many.
    pub async fn advance(&mut self, plan: &Plan, generations: u32) -> Result<Vec<Record>, Error> {
        let mut records = Vec::new();
        let end = self.host.record().generation + generations;
        while self.host.record().generation < end && !self.host.record().solved() {
            let before = self.host.record().generation;
            // Epochs end at multiples of their length, wherever this one began.
            let stride = plan.stride() - before % plan.stride();
            let last = end.min(before + stride);
            let swaps = self.make(&plan.vary, (before + 1, last)).await?;
            self.survey(last, swaps)?;
            let record = self.host.record();
            let ended = record.solved() || record.best <= plan.target_fitness;
            if let (Some(Learn::Elite(elite)), false) = (&plan.learn, ended) {
                self.know_everybody()?;
                self.host.learn_from_elites(elite);
                let changed = record.worst_at as usize;
                for device in &mut self.devices {
                    if device.known.contains(&changed) {
                        let who = changed..changed + 1;
                        device.engine.bring(last, self.host.population(), who);
                    }
                }
            }
            records.push(self.host.record());
            if ended {
                break;
            }
            self.even_out().await?;
        }
        Ok(records)
    }

    /// Has all workers make their shares of these generations, which run together. Returns the swaps of local search
    /// in this process.
    async fn make(&mut self, operator: &Variation, generations: (u32, u32)) -> Result<u64, Error> {
        let ancestry = operator.operator().ancestry();
        match ancestry {
            Ancestry::Anybody | Ancestry::Indivisible => self.know_everybody()?,
            Ancestry::Island(size) => self.cut_by(size as usize).await?,
            Ancestry::Itself => {}
        }
        if ancestry == Ancestry::Indivisible {
            return self.make_everybody(operator, generations).await;
        }
        if !matches!(ancestry, Ancestry::Island(_)) {
            self.cut_by(1).await?;
        }
        let shares = self.shares_here();
        self.tell_devices(operator, generations.0.wrapping_sub(1), &shares.devices);
        let made = self.work(operator, generations, &shares).await;
        let swaps = self.take_in(operator, made, shares)?;
        self.whole = self.team.is_alone();
        if let Ancestry::Island(size) = ancestry {
            self.island = size as usize;
            let last = generations.1;
            if last.is_multiple_of(operator.operator().stride()) {
                self.send_emigrants(last)?;
            }
        }
        Ok(swaps)
    }

    /// The shares of this process's workers.
    fn shares_here(&self) -> Shares {
        let mine = self.workers[self.team.rank()].clone();
        let first_device = mine.start + usize::from(self.host_works);
        Shares {
            native: match self.host_works {
                true => self.cut.of(mine.start),
                false => 0..0,
            },
            devices: (first_device..mine.end)
                .map(|worker| self.cut.of(worker))
                .collect(),
        }
    }

    /// Tells devices of those whom an operator reads, as far as they do not know them.
    fn tell_devices(&mut self, operator: &Variation, before: u32, shares: &[Range<usize>]) {
        let operator = operator.operator();
        for (device, share) in self.devices.iter_mut().zip(shares) {
            let needed = match operator.ancestry() {
                Ancestry::Anybody | Ancestry::Indivisible => 0..self.pop,
                _ if operator.renews() => 0..0,
                _ => share.clone(),
            };
            device.learn_of(before, self.host.population(), &needed);
        }
    }

    /// Has all workers of this process make their shares, side by side; in a browser, which has no threads for that,
    /// one after the other.
    async fn work(
        &mut self,
        operator: &Variation,
        generations: (u32, u32),
        shares: &Shares,
    ) -> Made {
        let ancestry = operator.operator().ancestry();
        let emigrants = match (ancestry, self.host.saved_auxiliary()) {
            (Ancestry::Island(_), SavedAuxiliary::Emigrants(emigrants)) => Some(emigrants),
            _ => None,
        };
        let best_at = self.host.record().best_at;
        let task = |share: &Range<usize>| ShareTask {
            operator,
            generations,
            best_at,
            share: share.clone(),
            emigrants: emigrants.as_ref(),
        };
        let host = &mut self.host;
        let tasks = { self.devices.iter_mut() }.zip(shares.devices.iter().map(task));
        // The native engine has a place in the run even if it has no share: what is kept beside its population
        // changes with each operator.
        let mut native = || timed(|| host.make_share(operator, generations, &shares.native));
        #[cfg(target_arch = "wasm32")]
        {
            let mut devices = Vec::new();
            for (device, task) in tasks {
                let begun = Instant::now();
                let made = device.engine.make_share(&task).await;
                devices.push(Ok((made, begun.elapsed().as_secs_f64())));
            }
            Made {
                native: native(),
                devices,
            }
        }
        #[cfg(not(target_arch = "wasm32"))]
        std::thread::scope(|scope| {
            let devices = tasks.map(|(device, task)| {
                let engine = &mut device.engine;
                scope.spawn(move || timed(|| pollster::block_on(engine.make_share(&task))))
            });
            let devices: Vec<_> = devices.collect();
            Made {
                native: native(),
                devices: devices.into_iter().map(|it| it.join()).collect(),
            }
        })
    }

    /// Takes in what devices have made. Returns the swaps of local search in this process.
    fn take_in(&mut self, operator: &Variation, made: Made, shares: Shares) -> Result<u64, Error> {
        let (mut swaps, seconds) = made.native;
        let mut times = Vec::new();
        if self.host_works {
            times.push((shares.native.len(), seconds));
        }
        for (at, (made, share)) in made.devices.into_iter().zip(shares.devices).enumerate() {
            let place = usize::from(self.host_works) + at;
            let (made, seconds) = made.map_err(|_| self.lose(place, "it panicked".to_owned()))?;
            let made = made.inspect_err(|_| self.lost = Some(place))?;
            times.push((share.len(), seconds));
            swaps += made.swaps;
            self.host.take_in(&share, &made.fitness, &made.words);
            self.devices[at].known = share;
        }
        self.balance.note(operator, &times);
        Ok(swaps)
    }

    /// Makes everybody of generations that cannot be made in shares: every process does, in one place.
    async fn make_everybody(
        &mut self,
        operator: &Variation,
        generations: (u32, u32),
    ) -> Result<u64, Error> {
        let everybody = 0..self.pop;
        for device in &mut self.devices {
            if self.host_works {
                device.known = 0..0;
            }
        }
        if self.host_works {
            return Ok(self.host.make_share(operator, generations, &everybody));
        }
        let before = generations.0.wrapping_sub(1);
        let (first, others) = { self.devices.split_first_mut() }
            .ok_or_else(|| Error::Team("a process has nothing to work with".to_owned()))?;
        for device in others {
            device.known = 0..0;
        }
        first.learn_of(before, self.host.population(), &everybody);
        let task = ShareTask {
            operator,
            generations,
            best_at: self.host.record().best_at,
            share: everybody.clone(),
            emigrants: None,
        };
        let made = first.engine.make_share(&task).await;
        let made = made.inspect_err(|_| self.lost = Some(0))?;
        first.known = everybody.clone();
        self.host.vacate();
        self.host.take_in(&everybody, &made.fitness, &made.words);
        Ok(made.swaps)
    }

    /// Finds out what a generation is like, together with the others.
    fn survey(&mut self, generation: u32, swaps: u64) -> Result<(), Error> {
        if self.whole {
            // There is nobody else, or all have made everybody.
            let record = self.host.survey_share(generation, swaps, 0..self.pop);
            return self.note(record, self.team.rank());
        }
        let share = self.share_of(self.team.rank());
        let record = self.host.survey_share(generation, swaps, share);
        let told = self.team.gather(&bytemuck::cast::<_, [u32; 13]>(record))?;
        let records = told.into_iter().map(|words| {
            let words: [u32; 13] = words.try_into().map_err(|_| out_of_step())?;
            Ok(bytemuck::cast::<_, Record>(words))
        });
        let records = records.collect::<Result<Vec<_>, Error>>()?;
        if records.iter().any(|it| it.generation != generation) {
            return Err(out_of_step());
        }
        let shares: Vec<_> = (0..records.len()).map(|rank| self.share_of(rank)).collect();
        let merged = merged(&records, &shares);
        let best = merged.best_at as usize;
        let owner = shares.iter().position(|share| share.contains(&best));
        self.note(merged, owner.ok_or_else(out_of_step)?)
    }

    /// Takes note of a record that all agree on; the process of this rank has its best individual.
    fn note(&mut self, record: Record, owner: usize) -> Result<(), Error> {
        let mut champion = None;
        if self.host.improves(&record) {
            let best = record.best_at as usize;
            let population = self.host.population();
            champion = Some(match self.whole {
                true => population.only(best),
                false => {
                    let mine = match owner == self.team.rank() {
                        true => population.words_at(best).to_vec(),
                        false => Vec::new(),
                    };
                    let words = self.team.broadcast(owner, mine)?;
                    if words.len() != words_of(population.form()) {
                        return Err(out_of_step());
                    }
                    Population::from_parts(population.form(), words, vec![record.best])
                }
            });
        }
        self.host.note(record, champion);
        if self.host.tells_differences() {
            self.know_everybody()?;
            self.host.tell_differences();
        }
        Ok(())
    }

    /// The best of each island leave it at the end of an epoch; who arrives here from another process is told.
    fn send_emigrants(&mut self, departure: u32) -> Result<(), Error> {
        let share = self.share_of(self.team.rank());
        let mut best = self.best_of_islands(&share);
        if !self.team.is_alone() {
            let last = share.end.div_ceil(self.island).checked_sub(1);
            let mine = match (share.is_empty(), last) {
                (false, Some(last)) => {
                    let mut words = vec![best.fitness()[last]];
                    words.extend(best.words_at(last));
                    words
                }
                _ => Vec::new(),
            };
            let told = self.team.gather(&mine)?;
            if !share.is_empty() {
                // The island before: that of the last process before this one that has any.
                let (size, rank) = (told.len(), self.team.rank());
                let before = (1..=size).map(|step| (rank + size - step) % size);
                let before = before.map(|rank| &told[rank]).find(|it| !it.is_empty());
                let [fitness, words @ ..] = &before.ok_or_else(out_of_step)?[..] else {
                    return Err(out_of_step());
                };
                let islands = best.len();
                let at = (share.start / self.island + islands - 1) % islands;
                let (each, cells, known) = best.split_mut();
                known[at] = *fitness;
                cells[at * each..][..each].copy_from_slice(words);
            }
        }
        self.host.send(Emigrants { best, departure });
        Ok(())
    }

    /// The best of each island of a share, the first of equals; nobody of other islands.
    fn best_of_islands(&self, share: &Range<usize>) -> Population {
        let population = self.host.population();
        let islands = self.pop.div_ceil(self.island);
        let mut best = Population::zeroed(population.form(), islands);
        let inhabited = share.start / self.island..share.end.div_ceil(self.island);
        let (each, words, fitness) = best.split_mut();
        for island in inhabited {
            let first = island * self.island;
            let members = first..self.pop.min(first + self.island);
            let found = members
                .map(|at| (population.fitness()[at], at))
                .min()
                .expect("islands are inhabited");
            fitness[island] = found.0;
            words[island * each..][..each].copy_from_slice(population.words_at(found.1));
        }
        best
    }

    /// The share of a process: those of its workers.
    fn share_of(&self, rank: usize) -> Range<usize> {
        self.cut.of_all(self.workers[rank].clone())
    }

    /// Remembers that a place has failed.
    fn lose(&mut self, place: usize, reason: String) -> Error {
        self.lost = Some(place);
        let adapter = match place.checked_sub(usize::from(self.host_works)) {
            Some(at) => self.devices[at].engine.info().name.clone(),
            None => "the native engine".to_owned(),
        };
        Error::DeviceFailed { adapter, reason }
    }
}

impl Device {
    /// Tells the device whom of these it does not know.
    fn learn_of(&mut self, generation: u32, population: &Population, needed: &Range<usize>) {
        if needed.is_empty() {
            return;
        }
        let known = match self.known.is_empty() {
            true => needed.start..needed.start,
            false => self.known.clone(),
        };
        for missing in [
            needed.start..needed.end.min(known.start),
            needed.start.max(known.end)..needed.end,
        ] {
            if !missing.is_empty() {
                self.engine.bring(generation, population, missing);
            }
        }
    }
}

/// One record of all shares; ties go to the lowest individual, and shares are in the order of individuals.
fn merged(records: &[Record], shares: &[Range<usize>]) -> Record {
    let inhabited = records.iter().zip(shares);
    let mut inhabited = inhabited.filter_map(|(it, share)| (!share.is_empty()).then_some(it));
    let mut all = *inhabited.next().unwrap_or(&records[0]);
    let (mut sum, mut swaps) = (all.sum(), all.swaps());
    for it in inhabited {
        if it.best < all.best {
            (all.best, all.best_at) = (it.best, it.best_at);
        }
        if it.worst > all.worst {
            (all.worst, all.worst_at) = (it.worst, it.worst_at);
        }
        sum += it.sum();
        swaps += it.swaps();
    }
    (all.sum_low, all.sum_high) = (sum as u32, (sum >> 32) as u32);
    (all.swaps_low, all.swaps_high) = (swaps as u32, (swaps >> 32) as u32);
    all
}

/// What can only happen if processes do not carry out the same run.
fn out_of_step() -> Error {
    Error::Team("the processes do not carry out the same run".to_owned())
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let begun = Instant::now();
    let made = work();
    (made, begun.elapsed().as_secs_f64())
}

/// What runs a population, in all processes of a team.
fn info(
    host: &CpuEngine,
    host_works: bool,
    devices: &[Device],
    team: &Team,
) -> Result<EngineInfo, Error> {
    let native = host_works.then(|| host.name());
    let names = devices.iter().map(|it| it.engine.info().name.clone());
    let here = native
        .into_iter()
        .chain(names)
        .collect::<Vec<_>>()
        .join(" + ");
    let software = devices.iter().any(|it| it.engine.info().software);
    let kinds = [host_works, !devices.is_empty(), software].map(u32::from);
    let mut told = kinds.to_vec();
    told.extend(here.bytes().map(u32::from));
    let all = team.gather(&told)?;
    let any = |kind: usize| all.iter().any(|it| it.get(kind) == Some(&1));
    let name = |words: &Vec<u32>| {
        let bytes = words.iter().skip(kinds.len()).map(|&byte| byte as u8);
        String::from_utf8_lossy(&bytes.collect::<Vec<_>>()).into_owned()
    };
    let names: Vec<_> = all.iter().map(name).collect();
    let adapter = match &names[..] {
        [one] => one.clone(),
        [first, ..] if names.iter().all(|it| it == first) => {
            format!("{} processes, each {first}", names.len())
        }
        names => format!("{} processes: {}", names.len(), names.join(", ")),
    };
    Ok(EngineInfo {
        backend: match (any(0), any(1)) {
            (true, true) => "cpu+gpu",
            (false, true) => "gpu",
            _ => "cpu",
        },
        adapter,
        software: any(2),
    })
}
