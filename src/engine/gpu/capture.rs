//! What a device would be given for a generation, as data: kernels, their buffers and their dispatches. It needs no
//! device, so tools can run kernels elsewhere and compare the outcome with the native engine's.

use bytemuck::{bytes_of, cast_slice, pod_read_unaligned};

use super::adapter::AdapterInfo;
use super::layout::{self, Chunk, State};
use super::mapping::Mappings;
use super::observe::{self, Groups};
use super::room::{Packed, Rooms, holds};
use super::shaders::reflect::PARAMS;
use super::shaders::{Composed, Mapping, Variant, compose, reflect};
use super::snapshot::{champion_of, champion_words};
use super::work::{Shape, Who, chunking, workgroups};
use super::{RECORDS, evaluation_call, survey_calls, variant_for, wants_evaluation};
use crate::engine::Setup;
use crate::engine::colouring::Colouring;
use crate::engine::snapshot::Snapshot;
use crate::error::Error;
use crate::observation::DigitBalance;
use crate::operators::kernel::{Auxiliary, KernelCall, Shader};
use crate::operators::{Call, Operator, Start};
use crate::plan::{Learn, Plan};
use crate::population::{Population, Record, words_of};
use crate::problem::Form;

/// The buffer of generation 0, which has the binding number of the new population.
const NEW_POPULATION: usize = 4;

/// The buffer that the host looks at after a generation, which has that place, too.
const OBSERVATION: usize = 10;

/// The binding of the table that a kernel reads.
const TABLE: u32 = 8;

/// Where kernels are to run.
#[derive(Debug, Clone, Copy)]
pub struct Target<'a> {
    /// The adapter.
    pub adapter: &'a AdapterInfo,
    /// How individuals are mapped to threads; chosen for the adapter if not set.
    pub mapping: Option<Mapping>,
    /// The population that this is chosen for, if not for its own: a few individuals show what becomes of many.
    pub chosen_for: Option<usize>,
}

/// What a device would be given.
#[derive(Debug, Clone)]
pub struct Capture {
    /// The words of every buffer before the first launch.
    pub buffers: Vec<Vec<u32>>,
    /// Kernels in their order.
    pub launches: Vec<Launch>,
    form: Form,
    rooms: Rooms,
    contents: Auxiliary,
}

/// A kernel with its buffers and dispatches.
#[derive(Debug, Clone)]
pub struct Launch {
    /// The kernel.
    pub shader: Shader,
    /// Its text, and the variant that it was composed for.
    pub composed: Composed,
    /// The buffers of group 0 that its entry point uses: binding numbers, ascending, and places in
    /// [`Capture::buffers`].
    pub bindings: Vec<(u32, usize)>,
    /// Its dispatches in their order.
    pub dispatches: Vec<DispatchSize>,
}

/// One dispatch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DispatchSize {
    /// Workgroups, in two dimensions.
    pub workgroups: [u32; 2],
    /// The words of the chunk that it works on, binding 0 of group 1, if the kernel has one.
    pub chunk: Option<[u32; 4]>,
}

impl Launch {
    /// Invocations of a workgroup.
    pub fn workgroup(&self) -> usize {
        self.composed.variant.workgroup()
    }
}

/// The launches that make the initial population, and look at it.
pub fn initial(setup: &Setup<'_>, target: Target<'_>, start: &Start) -> Result<Capture, Error> {
    let mut maker = Maker::new(setup, target, None)?;
    maker.operator(start, 1, 0)?;
    maker.survey(0)?;
    Ok(maker.capture)
}

/// The launches of the next generation of a plan, or of those that always run together, which end with looking at it
/// and with learning.
///
/// # Panics
/// If the plan is not for such individuals.
pub fn generation(
    setup: &Setup<'_>,
    target: Target<'_>,
    from: &Snapshot,
    plan: &Plan,
) -> Result<Capture, Error> {
    plan.check(setup.representation, setup.pop)?;
    let mut maker = Maker::new(setup, target, Some(from))?;
    let now = from.record.generation;
    // Epochs end at multiples of their length, wherever this one began.
    let stride = plan.stride() - now % plan.stride();
    maker.change_state(|state| {
        (state.stride, state.target_fitness, state.done) = (stride, plan.target_fitness, 0);
    });
    maker.operator(plan.vary.operator(), stride, now.wrapping_add(1))?;
    let last = now.wrapping_add(stride);
    maker.survey(last)?;
    if let Some(Learn::Elite(elite)) = &plan.learn {
        maker.keep(Auxiliary::Elites(elite.size));
        maker.launch(&elite.kernel(), last)?;
    }
    Ok(maker.capture)
}

/// The launch that evaluates a population anew. Nobody has any fitness before.
pub fn evaluation(
    setup: &Setup<'_>,
    target: Target<'_>,
    population: &Population,
) -> Result<Capture, Error> {
    let mut maker = Maker::new(setup, target, None)?;
    maker.change_state(|state| state.generation = 0);
    maker.load(0, population);
    maker.capture.buffers[NEW_POPULATION][..setup.pop].fill(0);
    maker.launch(&evaluation_call(setup.representation), 0)?;
    Ok(maker.capture)
}

/// The launches that count digits of a population for the host: so many of the best and of the worst.
///
/// # Panics
/// If the individuals are placements.
pub fn observation(
    setup: &Setup<'_>,
    target: Target<'_>,
    population: &Population,
    [best, worst]: [u32; 2],
) -> Result<Capture, Error> {
    let mut maker = Maker::new(setup, target, None)?;
    maker.load(0, population);
    maker.capture.buffers[OBSERVATION] = vec![0; observe::words_for(maker.capture.form)];
    for call in (Groups { best, worst }).calls() {
        maker.launch(&call, 0)?;
    }
    Ok(maker.capture)
}

impl Capture {
    /// The state in which kernels have left buffers that began as [`Capture::buffers`], as engines know it.
    ///
    /// # Panics
    /// If there are fewer buffers or words.
    pub fn snapshot(&self, buffers: &[Vec<u32>]) -> Snapshot {
        let state: State = pod_read_unaligned(cast_slice(&buffers[2]));
        let each = size_of::<Record>() / 4;
        let survey = state.surveys.wrapping_sub(1) % RECORDS;
        let record = &buffers[6][survey as usize * each..][..each];
        Snapshot {
            population: self.population(buffers, state.generation),
            record: pod_read_unaligned(cast_slice(record)),
            champion: champion_of(self.form, &buffers[9]),
            auxiliary: self
                .rooms
                .unpack(self.form, self.contents, &buffers[7], &state),
        }
    }

    /// A generation that kernels have left in buffers.
    ///
    /// # Panics
    /// If there are fewer buffers or words.
    pub fn population(&self, buffers: &[Vec<u32>], generation: u32) -> Population {
        let words = &buffers[population_at(generation)];
        let pop = self.rooms.pop();
        let (fitness, cells) = (&words[..pop], &words[2 * pop..]);
        Population::from_parts(self.form, cells.to_vec(), fitness.to_vec())
    }

    /// The counts that kernels have left in buffers.
    ///
    /// # Panics
    /// If there are fewer buffers or words.
    pub fn balance(&self, buffers: &[Vec<u32>]) -> DigitBalance {
        observe::parse(self.form, &buffers[OBSERVATION]).1
    }

    /// The moves or swaps that each individual of a generation has made.
    ///
    /// # Panics
    /// If there are fewer buffers or words.
    pub fn swaps<'a>(&self, buffers: &'a [Vec<u32>], generation: u32) -> &'a [u32] {
        let pop = self.rooms.pop();
        &buffers[population_at(generation)][pop..2 * pop]
    }
}

/// The buffer that a generation is in: buffers have the places of their binding numbers, and the populations take
/// turns.
fn population_at(generation: u32) -> usize {
    NEW_POPULATION - generation as usize % 2
}

/// A capture that grows.
struct Maker<'a> {
    capture: Capture,
    adapter: &'a AdapterInfo,
    setup: Setup<'a>,
    /// That of the problem: kernels are mapped in their own ways.
    variant: Variant,
    mappings: Mappings,
}

impl<'a> Maker<'a> {
    fn new(setup: &Setup<'a>, target: Target<'a>, from: Option<&Snapshot>) -> Result<Self, Error> {
        let colouring = Colouring::of(setup);
        let variant = variant_for(target.adapter, setup, colouring.as_ref());
        let encoding = setup.representation.encoding;
        let pop = target.chosen_for.unwrap_or(setup.pop);
        let mappings = Mappings::new(target.adapter, encoding, pop, target.mapping)?;
        let (run, puzzle) = layout::pack_problem(setup, variant, colouring.as_ref());
        let cells = words_of(setup.instance.form());
        let rooms = Rooms::new(&run, cells);
        let population = vec![0; setup.pop * (2 + cells)];
        let mut champion = champion_words(from.and_then(|from| from.champion.as_ref()));
        champion.resize(2 + cells, 0);
        let state = from.map_or(State::START, State::after);
        let Packed {
            contents,
            words: saved,
        } = from
            .and_then(|from| rooms.pack(&from.auxiliary))
            .unwrap_or_default();
        let mut auxiliary = vec![0; rooms.of(contents).words() as usize];
        for (at, words) in saved {
            auxiliary[at..][..words.len()].copy_from_slice(&words);
        }
        let buffers = vec![
            to_words(&run),
            puzzle,
            to_words(&state),
            population.clone(),
            population,
            Vec::new(),
            vec![0; RECORDS as usize * size_of::<Record>() / 4],
            auxiliary,
            vec![0],
            champion,
            vec![0],
        ];
        let mut maker = Self {
            capture: Capture {
                buffers,
                launches: Vec::new(),
                form: setup.instance.form(),
                rooms,
                contents,
            },
            adapter: target.adapter,
            setup: *setup,
            variant,
            mappings,
        };
        if let Some(from) = from {
            maker.load(from.record.generation, &from.population);
            // That of the survey which a snapshot counts as.
            let record = to_words(&from.record);
            maker.capture.buffers[6][..record.len()].copy_from_slice(&record);
        }
        Ok(maker)
    }

    fn load(&mut self, generation: u32, population: &Population) {
        let pop = self.setup.pop;
        let words = &mut self.capture.buffers[population_at(generation)];
        words[..pop].copy_from_slice(population.fitness());
        words[2 * pop..].copy_from_slice(population.words());
    }

    fn change_state(&mut self, change: impl FnOnce(&mut State)) {
        let words = &mut self.capture.buffers[2];
        let mut state: State = pod_read_unaligned(cast_slice(words));
        change(&mut state);
        *words = to_words(&state);
    }

    /// Makes room beside the population, for nobody yet, unless it is there already.
    fn keep(&mut self, wanted: Auxiliary) {
        if holds(self.capture.contents, wanted) {
            return;
        }
        let room = self.capture.rooms.of(wanted);
        self.capture.buffers[7] = vec![0; room.words() as usize];
        self.capture.contents = wanted;
        self.change_state(|state| {
            (state.elite_count, state.elite_next) =
                (State::START.elite_count, State::START.elite_next);
            state.best_ever = State::START.best_ever;
        });
    }

    fn operator(
        &mut self,
        operator: &dyn Operator,
        stride: u32,
        generation: u32,
    ) -> Result<(), Error> {
        if operator.renews() && self.capture.contents == Auxiliary::Memories {
            self.capture.contents = Auxiliary::Unused;
        }
        let pop = self.setup.pop as u32;
        self.keep(operator.auxiliary(pop));
        let calls = operator.kernels(&Call {
            pop,
            stride,
            is_board: matches!(self.capture.form, Form::Placement(_)),
        });
        for call in &calls {
            self.launch(call, generation)?;
        }
        if wants_evaluation(operator, self.setup.representation) {
            self.launch(&evaluation_call(self.setup.representation), generation)?;
        }
        Ok(())
    }

    fn survey(&mut self, generation: u32) -> Result<(), Error> {
        for call in survey_calls(&self.setup) {
            self.launch(&call, generation)?;
        }
        Ok(())
    }

    /// Adds a kernel that makes, or works on, a generation.
    fn launch(&mut self, call: &KernelCall, generation: u32) -> Result<(), Error> {
        let variant = self.mappings.variant_of(&call.shader, self.variant)?;
        let composed = compose(&call.shader, variant).map_err(Error::Shader)?;
        let interface = reflect(&composed).map_err(Error::Shader)?;
        let given = interface.check_params(call.shader.path(), call.params.as_ref());
        given.map_err(Error::Shader)?;
        if composed.has_workspace {
            self.keep(Auxiliary::Workspaces);
        }
        let shape = Shape {
            problem: self.variant,
            composed: composed.variant,
            has_workspace: composed.has_workspace,
        };
        let pop = self.setup.pop as u32;
        let work = chunking(self.adapter, shape, &Who::everybody(pop), &call.dispatch);
        let dispatches = workgroups(self.adapter, shape, &work).into_iter();
        let params = call.params.as_ref().map(|params| params.words());
        let table = call.table.as_deref();
        let mut bindings = Vec::new();
        for binding in interface.bindings {
            let own = match binding {
                PARAMS => params,
                TABLE => table,
                _ => None,
            };
            let at = match own {
                Some(words) => {
                    self.capture.buffers.push(words.to_vec());
                    self.capture.buffers.len() - 1
                }
                None => match binding as usize {
                    // The old and the new population.
                    3 => population_at(generation.wrapping_sub(1)),
                    4 => population_at(generation),
                    other => other,
                },
            };
            bindings.push((binding, at));
        }
        self.capture.launches.push(Launch {
            shader: call.shader.clone(),
            composed,
            bindings,
            dispatches: dispatches
                .map(|(workgroups, chunk)| DispatchSize {
                    workgroups,
                    chunk: chunk.map(bytemuck::cast::<Chunk, _>),
                })
                .collect(),
        });
        Ok(())
    }
}

fn to_words<T: bytemuck::Pod>(value: &T) -> Vec<u32> {
    cast_slice(bytes_of(value)).to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::cpu::CpuEngine;
    use crate::operators::{Islands, ParticleSwarm, Variation};
    use crate::plan::Representation;
    use crate::problem::{Instance, Queens, Surface};

    fn adapter() -> AdapterInfo {
        AdapterInfo {
            index: 0,
            name: "none".to_owned(),
            kind: "discrete GPU",
            software: false,
            backend: "none".to_owned(),
            driver: String::new(),
            timestamps: false,
            max_storage_binding: 1 << 30,
            max_workgroup_memory: 32 * 1024,
            max_workgroup_size: 256,
            max_workgroups: 16,
            subgroup_lanes: 0,
            browser: false,
        }
    }

    fn board() -> Instance {
        Instance::Queens(Queens::new(12, Surface::Board).unwrap())
    }

    fn setup(instance: &Instance, pop: usize) -> Setup<'_> {
        Setup {
            representation: Representation::QUEENS,
            ..Setup::rows(instance, pop, 1)
        }
    }

    fn names(capture: &Capture) -> Vec<&str> {
        let launches = capture.launches.iter();
        launches.map(|launch| launch.shader.path()).collect()
    }

    #[test]
    fn captures_begin_where_the_snapshot_was() {
        let (instance, adapter) = (board(), adapter());
        let setup = setup(&instance, 20);
        let target = Target {
            adapter: &adapter,
            mapping: None,
            chosen_for: None,
        };
        let mut engine = CpuEngine::new(&setup, 1).unwrap();
        engine.initialise(&Start::Fresh);
        let swarm = Variation::examples();
        let swarm = swarm
            .into_iter()
            .find(|it| matches!(it, Variation::ParticleSwarm(ParticleSwarm { .. })));
        let plan = Plan::from(swarm.expect("an example"));
        // Particles remember something from their first generation on.
        engine.advance(&plan, 3);
        let from = engine.snapshot();
        let capture = generation(&setup, target, &from, &plan).unwrap();
        assert_eq!(capture.snapshot(&capture.buffers), from);
        let expected = ["permutations/particle_swarm", "common/survey"];
        assert_eq!(names(&capture), expected);
    }

    #[test]
    fn dispatches_cover_everybody_in_rows_that_fit() {
        let (instance, adapter) = (board(), adapter());
        let setup = setup(&instance, 40);
        let target = Target {
            adapter: &adapter,
            mapping: None,
            chosen_for: None,
        };
        let capture = initial(&setup, target, &Start::Fresh).unwrap();
        let first = &capture.launches[0];
        let sizes: Vec<_> = first.dispatches.iter().map(|it| it.workgroups).collect();
        assert_eq!(sizes, [[14, 3]]);
        assert_eq!(first.dispatches[0].chunk, Some([0, 40, 0, 1]));
        assert!(names(&capture).contains(&"permutations/evaluate_permutations"));
        let bound = |launch: &Launch| {
            launch
                .bindings
                .iter()
                .all(|&(_, at)| at < capture.buffers.len())
        };
        assert!(capture.launches.iter().all(bound));
    }

    #[test]
    #[should_panic(expected = "is not for")]
    fn plans_for_other_individuals_are_refused() {
        let (instance, adapter) = (board(), adapter());
        let setup = setup(&instance, 16);
        let target = Target {
            adapter: &adapter,
            mapping: None,
            chosen_for: None,
        };
        let mut engine = CpuEngine::new(&setup, 1).unwrap();
        engine.initialise(&Start::Fresh);
        let islands = Variation::examples();
        let islands = islands
            .into_iter()
            .find(|it| matches!(it, Variation::Islands(Islands { .. })));
        let plan = Plan::from(islands.expect("an example"));
        let from = engine.snapshot();
        let _ = generation(&setup, target, &from, &plan);
    }
}
