//! The evaluator: fitness and operators for populations of somebody else's.
//!
//! An [`Evaluator`] knows a puzzle, an encoding and an objective, and tells the fitness of any number of grids. A
//! [`Session`] is a population that stays on an engine, on a device perhaps, while operators are applied to it one
//! at a time; each draws its random numbers from (seed, generation), so that both engines make the same population.
//!
//! Individuals are grids of digits 1 to N, row by row, a byte a cell.
//!
//! | encoding | an individual is refused unless | operators |
//! |---|---|---|
//! | `rows` | givens stand and every row is a permutation | crossover, mutations, column and sub-block search |
//! | `blocks` | givens stand and every sub-block is a permutation | sampling from a model |
//! | `cells` | givens stand; any digit may stand anywhere else | |
//! | `candidates` | every cell has a digit that the givens leave it | |
//! | `partial` | the same, or 0 for a hole | tabu moves |
//!
//! The objectives are defined for any grid, but count only what an encoding leaves open: with `rows` a digit that
//! stands twice in a row would go unseen. So everything outside of the encoding is refused. Of a puzzle without
//! givens, `cells` takes any grid at all.

use std::ops::ControlFlow;

use crate::algo::{Settings, tabu};
use crate::engine::{Backend, Engine, EngineInfo, Setup};
use crate::error::Error;
use crate::operators::{BreedRows, Sample, Start, Variation};
use crate::plan::{Domain, Encoding, Objective, Representation};
use crate::population::{HOLE, Population, Record};
use crate::problem::sudoku::propagate::Level;
use crate::problem::{Form, Geometry, Instance, Problem};
use crate::rng::Rate;

/// Grids that an engine evaluates at a time where it has to copy them.
const PIECE: usize = 1 << 16;

/// Tells the fitness of populations.
///
/// ```
/// use gpusudoku::Evaluator;
/// use gpusudoku::engine::Backend;
/// use gpusudoku::plan::Representation;
/// use gpusudoku::problem::{Problem, sudoku::builtin};
///
/// let puzzle = builtin::find("easy-1").unwrap();
/// let problem = Problem::from(puzzle.puzzle().clone());
/// let backend = Backend::Cpu { threads: 0 };
/// let mut evaluator = Evaluator::new(&problem, &backend, Representation::ROWS)?;
/// let grids = puzzle.solution().cells().repeat(1000);
/// let fitness = pollster::block_on(evaluator.evaluate(&grids))?;
/// assert_eq!(fitness, vec![0; 1000]);
/// # Ok::<(), gpusudoku::error::Error>(())
/// ```
pub struct Evaluator {
    instance: Instance,
    geometry: Geometry,
    backend: Backend,
    representation: Representation,
    /// Made for the first population, and for larger ones on a device.
    engine: Option<(Engine, usize)>,
}

impl Evaluator {
    /// An evaluator of grids of this encoding by this objective. Nothing is propagated: givens are those of the
    /// puzzle.
    ///
    /// # Errors
    /// If the problem is no puzzle, the givens leave a cell without a digit, or no kernel has this objective for
    /// this encoding.
    pub fn new(
        problem: &Problem,
        backend: &Backend,
        representation: Representation,
    ) -> Result<Self, Error> {
        let Form::Grid(geometry) = problem.form() else {
            return Err(Error::BadValue {
                key: "problem".to_owned(),
                value: "queens".to_owned(),
                expected: "a Sudoku or a Latin square".to_owned(),
            });
        };
        let is_partial = representation.encoding == Encoding::PartialCells;
        let counts_holes = representation.objective == Objective::ConflictsAndHoles;
        let is_board = representation.encoding == Encoding::Placement;
        if is_partial != counts_holes || is_board {
            return Err(Error::BadValue {
                key: "objective".to_owned(),
                value: representation.objective.name().to_owned(),
                expected: format!(
                    "another one for the encoding {}: conflicts goes with partial, and only with that",
                    representation.encoding.name()
                ),
            });
        }
        Ok(Self {
            instance: problem.reduce(Level::None)?,
            geometry,
            backend: backend.clone(),
            representation,
            engine: None,
        })
    }

    /// Size and boxes of the grids.
    pub fn geometry(&self) -> Geometry {
        self.geometry
    }

    /// Encoding and objective.
    pub fn representation(&self) -> Representation {
        self.representation
    }

    /// The fitness of each of these grids, 0 for a solution. There may be any number of them: they are cut into
    /// what fits.
    ///
    /// # Errors
    /// If there is a part of a grid, a grid that is not one of the encoding, or an adapter that fails.
    pub async fn evaluate(&mut self, digits: &[u8]) -> Result<Vec<u32>, Error> {
        let mut fitness = vec![0; count_grids(self.geometry, digits)?];
        let go_on = &mut |_| ControlFlow::Continue(());
        self.evaluate_into(digits, &mut fitness, go_on).await?;
        Ok(fitness)
    }

    /// The same, to where it is wanted. `progress` is told now and then how many are done, and may end it.
    ///
    /// # Errors
    /// Also [`Error::Interrupted`].
    ///
    /// # Panics
    /// If there is not a place for each grid.
    pub async fn evaluate_into(
        &mut self,
        digits: &[u8],
        fitness: &mut [u32],
        progress: &mut dyn FnMut(usize) -> ControlFlow<()>,
    ) -> Result<(), Error> {
        assert_eq!(count_grids(self.geometry, digits)?, fitness.len());
        if fitness.is_empty() {
            return Ok(());
        }
        let geometry = self.geometry;
        let (engine, room) = self.engine_for(fitness.len()).await?;
        let grids = digits.chunks(room * geometry.cells());
        for (piece, (digits, fitness)) in grids.zip(fitness.chunks_mut(room)).enumerate() {
            let done = evaluate_piece(engine, geometry, room, digits, fitness).await;
            done.map_err(|error| error.of_later(piece * room))?;
            if progress(piece * room + fitness.len()).is_break() {
                return Err(Error::Interrupted);
            }
        }
        Ok(())
    }

    /// What evaluates, once it has.
    pub fn engine(&self) -> Option<EngineInfo> {
        self.engine.as_ref().map(|(engine, _)| engine.info())
    }

    /// An engine, and how many grids it takes at a time.
    async fn engine_for(&mut self, grids: usize) -> Result<(&mut Engine, usize), Error> {
        let wanted = grids.next_power_of_two().min(PIECE);
        let reads_outside = |engine: &Engine| match engine {
            Engine::Cpu(native) => native.evaluates_outside(),
            Engine::Gpu(_) | Engine::Shared(_) => false,
        };
        let fits = |(engine, room): &(Engine, usize)| *room >= wanted || reads_outside(engine);
        if !self.engine.as_ref().is_some_and(fits) {
            let setup = |pop| Setup {
                representation: self.representation,
                ..Setup::rows(&self.instance, pop, 0)
            };
            // Who reads grids where they are needs no room for them.
            let mut engine = Engine::new(&self.backend, &setup(1)).await?;
            let mut room = PIECE;
            if !reads_outside(&engine) {
                room = Engine::largest_population(&self.backend, &setup(wanted)).await?;
                engine = Engine::new(&self.backend, &setup(room)).await?;
            }
            self.engine = Some((engine, room));
        }
        let (engine, room) = self.engine.as_mut().expect("made above");
        Ok((engine, *room))
    }

    /// A population of so many that stays on the engine, random at first: generation 0 of this seed.
    pub async fn session(&self, pop: usize, seed: u64) -> Result<Session, Error> {
        let setup = Setup {
            representation: self.representation,
            ..Setup::rows(&self.instance, pop, seed)
        };
        let mut engine = Engine::new(&self.backend, &setup).await?;
        engine.initialise(&Start::Fresh).await?;
        Ok(Session {
            engine,
            instance: self.instance.clone(),
            geometry: self.geometry,
            pop,
        })
    }
}

/// A population that stays on an engine while operators are applied to it.
///
/// An operator keyed by a generation draws the random numbers of (seed, generation): of equal populations it makes
/// equal ones on both engines. Generations begin with 1, since 0 is that of the initial population.
///
/// ```
/// # use gpusudoku::{Evaluator, engine::Backend, plan::Representation, rng::Rate};
/// # use gpusudoku::problem::{Problem, sudoku::builtin};
/// # let problem = Problem::from(builtin::find("easy-1").unwrap().puzzle().clone());
/// # pollster::block_on(async {
/// let backend = Backend::Cpu { threads: 1 };
/// let evaluator = Evaluator::new(&problem, &backend, Representation::ROWS)?;
/// let mut session = evaluator.session(64, 1).await?;
/// let random = session.fitness().await?;
/// session.swap_mutation(Rate::new(0.3).unwrap(), 1).await?;
/// let searched = session.column_search(1, 2).await?;
/// assert!(searched.sum() < random.iter().map(|&it| u64::from(it)).sum());
/// # Ok::<(), gpusudoku::error::Error>(())
/// # }).unwrap();
/// ```
pub struct Session {
    engine: Engine,
    instance: Instance,
    geometry: Geometry,
    pop: usize,
}

impl Session {
    /// Individuals.
    pub fn pop(&self) -> usize {
        self.pop
    }

    /// Size and boxes of the grids.
    pub fn geometry(&self) -> Geometry {
        self.geometry
    }

    /// Where the population is.
    pub fn info(&self) -> EngineInfo {
        self.engine.info()
    }

    /// Puts another population in place of the current one, and evaluates it.
    ///
    /// # Errors
    /// If there are more or fewer, or a grid that is not one of the encoding.
    pub async fn load(&mut self, digits: &[u8]) -> Result<(), Error> {
        let grids = count_grids(self.geometry, digits)?;
        if grids != self.pop {
            return Err(Error::BadValue {
                key: "population".to_owned(),
                value: format!("{grids} grids"),
                expected: format!("{}, as many as the session has", self.pop),
            });
        }
        let population = packed(self.geometry, digits, self.pop);
        self.engine.load(&population)?;
        self.engine.evaluate().await?;
        // Kernels that look up to the best have to know who that is.
        let evaluated = self.engine.population().await?.into_owned();
        self.engine.load(&evaluated)
    }

    /// The grids, digits 1 to N, 0 for a hole.
    pub async fn digits(&mut self) -> Result<Vec<u8>, Error> {
        let population = self.engine.population().await?;
        let mut digits = Vec::with_capacity(population.len() * self.geometry.cells());
        for individual in 0..population.len() {
            let cells = population.cells(individual).iter();
            digits.extend(cells.map(|cell| cell.wrapping_add(1)));
        }
        Ok(digits)
    }

    /// The fitness of everybody.
    pub async fn fitness(&mut self) -> Result<Vec<u32>, Error> {
        Ok(self.engine.population().await?.fitness().to_vec())
    }

    /// A new random population, whatever the old one was. Of generation 0 it is the one that a session begins with.
    pub async fn initialise(&mut self, generation: u32) -> Result<Record, Error> {
        match generation {
            0 => self.engine.initialise(&Start::Fresh).await,
            _ => self.vary(&Variation::Renew(Start::Fresh), generation).await,
        }
    }

    /// With a probability, an individual takes each row of a random mate with another one.
    pub async fn crossover(
        &mut self,
        individuals: Rate,
        rows: Rate,
        generation: u32,
    ) -> Result<Record, Error> {
        let operator = BreedRows {
            crossover: individuals,
            crossover_row: rows,
            ..BreedRows::IDLE
        };
        self.breed(operator, generation).await
    }

    /// With a probability, two free cells of a row are swapped; each row has its turn.
    pub async fn swap_mutation(&mut self, rate: Rate, generation: u32) -> Result<Record, Error> {
        let operator = BreedRows {
            swap: rate,
            ..BreedRows::IDLE
        };
        self.breed(operator, generation).await
    }

    /// With a probability, the free cells of a row are shuffled; each row has its turn.
    pub async fn reinitialise_mutation(
        &mut self,
        rate: Rate,
        generation: u32,
    ) -> Result<Record, Error> {
        let operator = BreedRows {
            reinitialise: rate,
            ..BreedRows::IDLE
        };
        self.breed(operator, generation).await
    }

    /// Local search in illegal columns, so many rounds at the most.
    pub async fn column_search(&mut self, rounds: u32, generation: u32) -> Result<Record, Error> {
        let operator = BreedRows {
            column_search: true,
            rounds,
            ..BreedRows::IDLE
        };
        self.breed(operator, generation).await
    }

    /// Local search in illegal sub-blocks, so many rounds at the most.
    pub async fn block_search(&mut self, rounds: u32, generation: u32) -> Result<Record, Error> {
        let operator = BreedRows {
            block_search: true,
            rounds,
            ..BreedRows::IDLE
        };
        self.breed(operator, generation).await
    }

    /// Any of the operators on rows, together.
    pub async fn breed(&mut self, operator: BreedRows, generation: u32) -> Result<Record, Error> {
        self.vary(&Variation::BreedRows(operator), generation).await
    }

    /// A new population from a model of the digits of each cell.
    ///
    /// # Errors
    /// If there is not a weight for each digit of each cell, or those of a cell sum up to 2^31 or more.
    pub async fn sample(&mut self, model: Sample, generation: u32) -> Result<Record, Error> {
        let n = self.geometry.size();
        let weights = n * self.geometry.cells();
        let refused = |value: String, expected: String| Error::BadValue {
            key: "model".to_owned(),
            value,
            expected,
        };
        if model.model.len() < weights {
            return Err(refused(
                format!("{} weights", model.model.len()),
                format!("{weights}, one for each digit of each cell"),
            ));
        }
        let sum = |cell: &[u32]| cell.iter().map(|&it| u64::from(it)).sum::<u64>();
        let cells = model.model[..weights].chunks_exact(n);
        if let Some(at) = { cells }.position(|cell| sum(cell) >= 1 << 31) {
            return Err(refused(
                format!("weights of cell {at}"),
                "a sum below 2^31".to_owned(),
            ));
        }
        let start = Variation::Renew(Start::Sample(model));
        self.vary(&start, generation).await
    }

    /// So many moves of a tabu search for everybody, with tenures that suit the puzzle.
    pub async fn tabu(&mut self, moves: u32, generation: u32) -> Result<Record, Error> {
        let mut settings = Settings::new(&tabu::INFO);
        settings.set_pair(&format!("moves={moves}"))?;
        let operator = tabu::operator(&settings, self.instance.reduction());
        self.vary(&Variation::Tabu(operator), generation).await
    }

    /// Any operator of the crate, or one of somebody else's.
    pub async fn vary(&mut self, operator: &Variation, generation: u32) -> Result<Record, Error> {
        self.engine.vary(operator, generation).await
    }
}

/// An encoding and an objective by the names that users have for them; the objective is the usual one of the encoding
/// if it has no name.
pub fn representation(encoding: &str, objective: Option<&str>) -> Result<Representation, Error> {
    let encodings = [
        Encoding::Rows,
        Encoding::Blocks,
        Encoding::Cells(Domain::Any),
        Encoding::Cells(Domain::Candidates),
        Encoding::PartialCells,
    ];
    let objectives = [
        Objective::IllegalUnits,
        Objective::MissingDigits,
        Objective::SumDeviation,
        Objective::ConflictsAndHoles,
    ];
    let refused = |key: &str, value: &str, known: Vec<&str>| Error::BadValue {
        key: key.to_owned(),
        value: value.to_owned(),
        expected: known.join(" or "),
    };
    let known = encodings.into_iter().find(|it| it.name() == encoding);
    let encoding = known.ok_or_else(|| {
        let known = encodings.iter().map(|it| it.name());
        refused("encoding", encoding, known.collect())
    })?;
    let objective = match (objective, encoding) {
        (Some(name), _) => {
            let known = objectives.into_iter().find(|it| it.name() == name);
            known.ok_or_else(|| {
                let known = objectives.iter().map(|it| it.name());
                refused("objective", name, known.collect())
            })?
        }
        (None, Encoding::Blocks) => Objective::MissingDigits,
        (None, Encoding::PartialCells) => Objective::ConflictsAndHoles,
        (None, _) => Objective::IllegalUnits,
    };
    Ok(Representation {
        encoding,
        objective,
    })
}

/// How many grids there are.
fn count_grids(geometry: Geometry, digits: &[u8]) -> Result<usize, Error> {
    let cells = geometry.cells();
    match digits.len().is_multiple_of(cells) {
        true => Ok(digits.len() / cells),
        false => Err(Error::BadValue {
            key: "population".to_owned(),
            value: format!("{} digits", digits.len()),
            expected: format!("a multiple of {cells}, the cells of a {geometry}"),
        }),
    }
}

/// Grids as engines have them; room that is left is filled with the last.
fn packed(geometry: Geometry, digits: &[u8], room: usize) -> Population {
    let cells = geometry.cells();
    let mut population = Population::zeroed(geometry, room);
    let last = digits.len() / cells - 1;
    for individual in 0..room {
        let grid = &digits[individual.min(last) * cells..][..cells];
        for (cell, digit) in population.cells_mut(individual).iter_mut().zip(grid) {
            *cell = digit.wrapping_sub(1);
        }
    }
    debug_assert_eq!(HOLE, 0u8.wrapping_sub(1));
    population
}

/// Evaluates as many grids as an engine takes at a time.
async fn evaluate_piece(
    engine: &mut Engine,
    geometry: Geometry,
    room: usize,
    digits: &[u8],
    fitness: &mut [u32],
) -> Result<(), Error> {
    match engine {
        Engine::Cpu(native) if native.evaluates_outside() => {
            native.evaluate_outside(digits, fitness).map_err(|at| {
                let cells = geometry.cells();
                let one = packed(geometry, &digits[at * cells..][..cells], 1);
                engine.refusal(&one, 0).of_later(at)
            })
        }
        engine => {
            engine.load(&packed(geometry, digits, room))?;
            engine.evaluate().await?;
            let evaluated = engine.population().await?;
            fitness.copy_from_slice(&evaluated.fitness()[..fitness.len()]);
            Ok(())
        }
    }
}
