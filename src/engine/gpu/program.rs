//! Kernels made ready: pipelines, parameters, bindings, and how the work is dispatched.

use std::sync::Arc;

use wgpu::{
    BindGroup, BindGroupDescriptor, BindGroupEntry, Buffer, BufferUsages, ComputePass,
    ComputePipeline, Device,
};

use super::buffers::{self, Buffers, chunks, desk_chunks, fold};
use super::layout::{
    AnnealParams, BlocksParams, BreedParams, Chunk, EliteParams, GravitateParams, ImproviseParams,
    PlaceParams, PollinateParams, RecombineParams, ResolveParams, SampleParams, State, SwarmParams,
    TabuParams, with_schedule,
};
use super::shaders::{Form, Kernel, Lanes, Variant};
use super::station::Station;
use crate::error::Error;
use crate::plan::{BreedBlocks, Islands, Learn, Plan, Start, Tabu, Variation};

/// The kernels of a run on their device.
pub struct Program {
    station: Station,
    variant: Variant,
    pop: u32,
    pub buffers: Buffers,
    armed: Vec<Armed>,
    /// What the table on the device is a copy of.
    table: Option<Arc<[u32]>>,
    /// Who the individuals outside of the population are.
    aside: Option<Room>,
}

/// Whom the room outside of the population is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Room {
    Elites(u32),
    Harmonies(u32),
    /// The number of islands.
    Emigrants(u32),
    /// Nobody, but room for desks and for the order of all.
    Desks,
    /// The same, and what individuals remember.
    Memories,
}

/// A kernel with everything bound, for even and odd generations.
struct Armed {
    kernel: Kernel,
    pipeline: ComputePipeline,
    params: Option<(Vec<u8>, Buffer)>,
    bindings: Option<[BindGroup; 2]>,
    work: Work,
    dispatches: Vec<([u32; 2], Option<BindGroup>)>,
}

/// What a kernel is dispatched over.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Work {
    /// One workgroup.
    Once,
    /// A workgroup for every cell of a grid.
    Cells,
    /// A tile for each of some things, in chunks.
    Tiles(Vec<Chunk>),
}

impl Program {
    pub fn new(station: Station, variant: Variant, buffers: Buffers, pop: usize) -> Self {
        let mut program = Self {
            station,
            variant,
            pop: pop as u32,
            buffers,
            armed: Vec::new(),
            table: None,
            aside: None,
        };
        program.arm(Kernel::Survey);
        program
    }

    /// How the work is laid out.
    pub fn variant(&self) -> Variant {
        self.variant
    }

    /// Readies a kernel that has no parameters of its own.
    pub fn arm(&mut self, kernel: Kernel) {
        let work = match kernel {
            Kernel::Survey => Work::Once,
            Kernel::Diversity => Work::Cells,
            kernel if kernel.has_desks() => self.every_desk(),
            _ => self.everybody(),
        };
        self.arm_with(kernel, None, work);
    }

    /// Forgets what individuals remember.
    pub fn forget(&mut self) {
        if self.aside == Some(Room::Memories) {
            self.aside = None;
        }
    }

    /// Leaves nobody outside of the population.
    pub fn vacate(&mut self) {
        self.aside = None;
    }

    /// Whom the room outside of the population is for.
    pub fn aside(&self) -> Option<Room> {
        self.aside
    }

    /// Readies the kernel that makes a population from nothing.
    pub fn arm_start(&mut self, start: &Start) -> Result<(), Error> {
        self.forget();
        match (self.start_kernel(start), start) {
            (kernel, Start::Sample(sample)) => {
                self.upload(&sample.model);
                let params = SampleParams::from(sample);
                let work = self.everybody();
                self.arm_with(kernel, Some(bytemuck::bytes_of(&params)), work);
            }
            (kernel @ Kernel::Place, start) => {
                let tries = match start {
                    Start::Greedy(tries) => *tries,
                    _ => 0,
                };
                self.arm_desks(kernel, bytemuck::bytes_of(&PlaceParams { tries }))?;
            }
            (kernel, _) => self.arm(kernel),
        }
        Ok(())
    }

    /// The kernel that makes a population from nothing.
    pub fn start_kernel(&self, start: &Start) -> Kernel {
        match (start, self.variant.form) {
            (Start::Sample(_), _) => Kernel::Sample,
            (Start::Fresh, Form::Grid) => Kernel::Initialise,
            (Start::Fresh | Start::Greedy(_), _) => Kernel::Place,
        }
    }

    /// Readies a kernel that evaluates.
    pub fn arm_evaluation(&mut self, kernel: Kernel) -> Result<(), Error> {
        if kernel.has_desks() {
            self.keep_desks(Room::Desks)?;
        }
        self.arm(kernel);
        Ok(())
    }

    /// Readies a permutation kernel.
    fn arm_desks(&mut self, kernel: Kernel, params: &[u8]) -> Result<(), Error> {
        self.keep_desks(match kernel {
            Kernel::Swarm | Kernel::Gravitate => Room::Memories,
            _ => Room::Desks,
        })?;
        let work = self.every_desk();
        self.arm_with(kernel, Some(params), work);
        Ok(())
    }

    /// Makes room for desks, and for memories if they are wanted; they stay where they are.
    fn keep_desks(&mut self, outside: Room) -> Result<(), Error> {
        match self.aside {
            Some(Room::Memories) => Ok(()),
            _ => self.keep_aside(outside),
        }
    }

    /// Readies the kernels of a plan.
    pub fn arm_plan(&mut self, plan: &Plan, stride: u32) -> Result<(), Error> {
        match &plan.vary {
            Variation::Breed(breed) => {
                let params = BreedParams::from(breed);
                let work = self.everybody();
                self.arm_with(Kernel::Breed, Some(bytemuck::bytes_of(&params)), work);
            }
            Variation::BreedBlocks(breed) => {
                let params = BlocksParams::new(breed, self.pop, 1);
                let work = self.everybody();
                self.arm_with(Kernel::BreedBlocks, Some(bytemuck::bytes_of(&params)), work);
            }
            Variation::Islands(islands) => {
                let count = self.pop.div_ceil(islands.size);
                self.keep_aside(Room::Emigrants(count))?;
                let params = BlocksParams::new(&islands.breed, islands.size, islands.epoch);
                let work = self.epoch(islands, count, stride);
                self.arm_with(Kernel::Islands, Some(bytemuck::bytes_of(&params)), work);
            }
            Variation::Renew(start) => self.arm_start(start)?,
            Variation::Improvise(improvise) => {
                self.keep_aside(Room::Harmonies(improvise.batch))?;
                self.upload(&improvise.pitches);
                let params = ImproviseParams::from(improvise);
                let work = Work::Tiles(chunks(self.variant, improvise.batch, 1).collect());
                let params = Some(bytemuck::bytes_of(&params));
                self.arm_with(Kernel::Improvise, params, work.clone());
                self.arm_with(Kernel::Rank, params, work);
                let work = self.everybody();
                self.arm_with(Kernel::ReplaceWorst, params, work);
            }
            Variation::Pollinate(pollinate) => {
                self.upload(&pollinate.levy);
                let params = PollinateParams::from(pollinate);
                let work = self.everybody();
                self.arm_with(Kernel::Pollinate, Some(bytemuck::bytes_of(&params)), work);
            }
            Variation::Recombine(recombine) => {
                let params = RecombineParams::from(recombine);
                self.arm_desks(Kernel::Recombine, bytemuck::bytes_of(&params))?;
            }
            Variation::Swarm(swarm) => {
                let params = SwarmParams::from(swarm);
                self.arm_desks(Kernel::Swarm, bytemuck::bytes_of(&params))?;
            }
            Variation::Gravitate(gravitate) => {
                let params = GravitateParams::from(gravitate);
                let params = with_schedule(&params, &gravitate.schedule);
                self.arm_desks(Kernel::Gravitate, &params)?;
                self.arm(Kernel::Order);
            }
            Variation::Anneal(anneal) => {
                let params = with_schedule(&AnnealParams::from(anneal), &anneal.schedule);
                self.arm_desks(Kernel::Anneal, &params)?;
            }
            Variation::Resolve(resolve) => {
                let params = ResolveParams::from(resolve);
                self.arm_desks(Kernel::Resolve, bytemuck::bytes_of(&params))?;
            }
            Variation::Tabu(tabu) => {
                self.keep_desks(Room::Desks)?;
                let params = TabuParams::from(tabu);
                let work = self.searches(tabu);
                self.arm_with(Kernel::Tabu, Some(bytemuck::bytes_of(&params)), work);
            }
        }
        if let Some(Learn::Elite(elite)) = &plan.learn {
            self.keep_aside(Room::Elites(elite.size))?;
            let params = EliteParams::from(elite);
            self.arm_with(Kernel::Elite, Some(bytemuck::bytes_of(&params)), Work::Once);
        }
        Ok(())
    }

    fn everybody(&self) -> Work {
        Work::Tiles(chunks(self.variant, self.pop, 1).collect())
    }

    /// A workgroup for everybody, as many at a time as there are desks.
    fn every_desk(&self) -> Work {
        Work::Tiles(desk_chunks(self.variant, self.pop).collect())
    }

    /// A generation of tabu searches: as many individuals at a time as there are slates for, each with a
    /// dispatch that makes no moves and then as few as the device allows.
    fn searches(&self, tabu: &Tabu) -> Work {
        let most = moves_per_dispatch(self.variant, self.station.info.software);
        let dispatches = desk_chunks(self.variant, self.pop).flat_map(|chunk| {
            let steps = (0..tabu.moves)
                .step_by(most as usize)
                .map(move |before| Chunk {
                    before,
                    generations: most.min(tabu.moves - before),
                    ..chunk
                });
            let first = Chunk {
                generations: 0,
                ..chunk
            };
            std::iter::once(first).chain(steps)
        });
        Work::Tiles(dispatches.collect())
    }

    /// An epoch of so many generations in as few dispatches as the device allows.
    fn epoch(&self, islands: &Islands, count: u32, stride: u32) -> Work {
        let variant = variant_of(Kernel::Islands, self.variant);
        let most = generations_per_dispatch(variant, self.station.info.software, islands);
        let spans = (0..stride).step_by(most as usize);
        let dispatches = spans.flat_map(|before| {
            chunks(variant, count, islands.size).map(move |chunk| Chunk {
                before,
                generations: most.min(stride - before),
                ..chunk
            })
        });
        Work::Tiles(dispatches.collect())
    }

    /// Copies a table to the device, unless it is there already.
    fn upload(&mut self, table: &Arc<[u32]>) {
        if self
            .table
            .as_ref()
            .is_some_and(|known| Arc::ptr_eq(known, table))
        {
            return;
        }
        let bytes: &[u8] = bytemuck::cast_slice(table);
        if self.buffers.table.size() == bytes.len() as u64 {
            self.station.write(&self.buffers.table, 0, bytes);
        } else {
            self.buffers.table = self.station.constant("table", bytes);
            self.unbind(8);
        }
        self.table = Some(table.clone());
    }

    /// Makes room outside of the population, for nobody yet, unless it is there already.
    pub fn keep_aside(&mut self, outside: Room) -> Result<(), Error> {
        if self.aside == Some(outside) {
            return Ok(());
        }
        let cells = self.buffers.cell_words;
        // Words for each of some things, and before them.
        let (key, count, words, before) = match outside {
            Room::Elites(size) => ("elite", size, 1 + cells, 0),
            Room::Harmonies(batch) => ("batch", batch, 2 + cells, 0),
            // Those of the last epoch are read while those of this one are written.
            Room::Emigrants(islands) => ("islands", islands, 4 + 2 * cells, 0),
            Room::Desks => ("pop", self.pop, 0, self.buffers.memories_at),
            Room::Memories => {
                let words = self.buffers.memory_words;
                ("pop", self.pop, words, self.buffers.memories_at)
            }
        };
        let bytes = 4 * (before + u64::from(count) * words);
        if bytes > self.station.info.max_storage_binding {
            let fits =
                (self.station.info.max_storage_binding / 4).saturating_sub(before) / words.max(1);
            return Err(Error::BadValue {
                key: key.to_owned(),
                value: count.to_string(),
                expected: format!("at most {fits} on the adapter {}", self.station.info.name),
            });
        }
        let bytes = bytes as usize;
        let both = BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
        self.buffers.aside = buffers::storage(&self.station.device, "aside", bytes, both);
        self.unbind(7);
        self.aside = Some(outside);
        let empty = [
            State::START.elite_count,
            State::START.elite_next,
            State::START.best_ever,
        ];
        self.station.write(
            &self.buffers.state,
            std::mem::offset_of!(State, elite_count) as u64,
            bytemuck::cast_slice(&empty),
        );
        Ok(())
    }

    /// Forgets the bindings of kernels that use a buffer.
    fn unbind(&mut self, binding: u32) {
        for armed in &mut self.armed {
            let variant = variant_of(armed.kernel, self.variant);
            if armed.kernel.bindings(variant).contains(&binding) {
                armed.bindings = None;
            }
        }
    }

    /// Readies a kernel: compiles it once, writes what is new of its parameters, binds what is
    /// not bound.
    fn arm_with(&mut self, kernel: Kernel, params: Option<&[u8]>, work: Work) {
        let variant = variant_of(kernel, self.variant);
        let at = match self.armed.iter().position(|armed| armed.kernel == kernel) {
            Some(at) => at,
            None => {
                self.armed.push(Armed {
                    kernel,
                    pipeline: self.station.pipeline(kernel, variant),
                    params: None,
                    bindings: None,
                    work: Work::Once,
                    dispatches: vec![([1, 1], None)],
                });
                self.armed.len() - 1
            }
        };
        let armed = &mut self.armed[at];
        match (&mut armed.params, params) {
            (Some((known, _)), Some(bytes)) if known == bytes => {}
            (Some((known, buffer)), Some(bytes)) if known.len() == bytes.len() => {
                self.station.write(buffer, 0, bytes);
                known.clear();
                known.extend_from_slice(bytes);
            }
            (other, Some(bytes)) => {
                let buffer = self.station.constant(kernel.name(), bytes);
                *other = Some((bytes.to_vec(), buffer));
                armed.bindings = None;
            }
            (_, None) => {}
        }
        if armed.work != work {
            armed.dispatches = match &work {
                Work::Once => vec![([1, 1], None)],
                Work::Cells => {
                    let cells = match self.variant.form {
                        Form::Grid => self.variant.size * self.variant.size,
                        Form::Board => self.variant.size,
                    };
                    vec![(fold(cells as u32, self.station.info.max_workgroups), None)]
                }
                Work::Tiles(chunks) => chunks
                    .iter()
                    .map(|chunk| {
                        let tiles = chunk.end - chunk.first;
                        let each = variant.individuals();
                        let workgroups = tiles.div_ceil(each as u32);
                        let bindings = bind_chunk(&self.station, &armed.pipeline, chunk);
                        (
                            fold(workgroups, self.station.info.max_workgroups),
                            Some(bindings),
                        )
                    })
                    .collect(),
            };
            armed.work = work;
        }
        if armed.bindings.is_none() {
            let params = armed.params.as_ref().map(|(_, buffer)| buffer);
            let bind = |new| {
                bind(
                    &self.station.device,
                    &armed.pipeline,
                    (kernel, variant),
                    &self.buffers,
                    params,
                    new,
                )
            };
            armed.bindings = Some([bind(0), bind(1)]);
        }
    }

    /// Dispatches that a kernel takes for a population.
    pub fn dispatches(&self, kernel: Kernel) -> usize {
        let armed = self.armed.iter().find(|armed| armed.kernel == kernel);
        armed.map_or(0, |armed| armed.dispatches.len())
    }

    /// Dispatches a kernel that makes, or works on, a generation.
    pub fn dispatch(&self, pass: &mut ComputePass<'_>, kernel: Kernel, generation: u32) {
        let armed = self.armed.iter().find(|armed| armed.kernel == kernel);
        let armed = armed.expect("kernels are armed before they are dispatched");
        let bindings = armed.bindings.as_ref().expect("armed kernels are bound");
        pass.set_pipeline(&armed.pipeline);
        pass.set_bind_group(0, &bindings[generation as usize % 2], &[]);
        for ([x, y], chunk) in &armed.dispatches {
            if let Some(chunk) = chunk {
                pass.set_bind_group(1, chunk, &[]);
            }
            pass.dispatch_workgroups(*x, *y, 1);
        }
    }
}

/// How a kernel is laid out: an island and a desk always have a workgroup to themselves, and so has an
/// individual that is searched, if its sets have more than one word.
fn variant_of(kernel: Kernel, variant: Variant) -> Variant {
    let wide = kernel == Kernel::Breed && variant.mask_words() > 1;
    match kernel == Kernel::Islands || kernel.has_desks() || wide {
        true => Variant {
            lanes: Lanes::Many,
            ..variant
        },
        false => variant,
    }
}

/// How many generations of islands a dispatch runs: it should not take long, and Mesa's software
/// driver ends all loops of a thread after 65,535 turns.
fn generations_per_dispatch(variant: Variant, software: bool, islands: &Islands) -> u32 {
    let turns = if software { 1 << 15 } else { 1 << 18 };
    let BreedBlocks {
        mutants,
        tournament,
        ..
    } = islands.breed;
    let child = variant.turns_per_grid() * (2 + mutants as usize) + 2 * tournament as usize;
    (turns / (child * islands.size as usize)).max(1) as u32
}

/// How many moves of a tabu search a dispatch makes, for the same reasons.
fn moves_per_dispatch(variant: Variant, software: bool) -> u32 {
    let turns = if software { 1 << 15 } else { 1 << 20 };
    let each = variant_of(Kernel::Tabu, variant).turns_per_move();
    (turns / each).max(1) as u32
}

/// The buffers of a kernel that makes generations of this parity, by their binding numbers.
fn bind(
    device: &Device,
    pipeline: &ComputePipeline,
    (kernel, variant): (Kernel, Variant),
    buffers: &Buffers,
    params: Option<&Buffer>,
    new: usize,
) -> BindGroup {
    let buffer = |binding| match binding {
        0 => &buffers.run,
        1 => &buffers.puzzle,
        2 => &buffers.state,
        3 => &buffers.populations[1 - new],
        4 => &buffers.populations[new],
        5 => params.expect("this kernel has parameters"),
        6 => &buffers.records,
        7 => &buffers.aside,
        8 => &buffers.table,
        _ => unreachable!("no kernel has more bindings"),
    };
    let entries: Vec<_> = kernel
        .bindings(variant)
        .into_iter()
        .map(|binding| BindGroupEntry {
            binding,
            resource: buffer(binding).as_entire_binding(),
        })
        .collect();
    device.create_bind_group(&BindGroupDescriptor {
        label: Some(kernel.name()),
        layout: &pipeline.get_bind_group_layout(0),
        entries: &entries,
    })
}

fn bind_chunk(station: &Station, pipeline: &ComputePipeline, chunk: &Chunk) -> BindGroup {
    let buffer = station.constant("chunk", bytemuck::bytes_of(chunk));
    station.device.create_bind_group(&BindGroupDescriptor {
        label: Some("chunk"),
        layout: &pipeline.get_bind_group_layout(1),
        entries: &[BindGroupEntry {
            binding: 0,
            resource: buffer.as_entire_binding(),
        }],
    })
}
