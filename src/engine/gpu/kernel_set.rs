//! Kernels made ready: pipelines, parameters, bindings, and how the work is dispatched.

use std::sync::Arc;

use wgpu::{
    BindGroup, BindGroupDescriptor, BindGroupEntry, Buffer, BufferUsages, ComputePass, Device,
};

use super::buffers::{self, Buffers};
use super::device_context::{DeviceContext, Kernel};
use super::layout::{Chunk, State};
use super::mapping::Mappings;
use super::room::holds;
use super::shaders::{Mapping, ProblemKind, Variant};
use super::work::{Chunking, Who, chunking, workgroups};
use crate::error::Error;
use crate::operators::kernel::{Auxiliary, KernelCall, Shader};
use crate::operators::{Call, Operator};

/// The kernels of a run on their device.
pub struct KernelSet {
    context: DeviceContext,
    /// What the texts of all kernels depend on.
    variant: Variant,
    mappings: Mappings,
    /// Who there is, and who is made here.
    pub who: Who,
    pub buffers: Buffers,
    prepared: Vec<PreparedKernel>,
    /// What the table on the device is a copy of.
    table: Option<Arc<[u32]>>,
    /// What the auxiliary buffer holds.
    auxiliary: Auxiliary,
}

/// A kernel that is ready to be dispatched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Prepared(usize);

/// A kernel with everything bound, for even and odd generations.
struct PreparedKernel {
    shader: Shader,
    kernel: Kernel,
    params: Option<(Vec<u32>, Buffer)>,
    bindings: Option<[BindGroup; 2]>,
    work: Chunking,
    dispatches: Vec<([u32; 2], Option<BindGroup>)>,
}

impl KernelSet {
    pub fn new(
        context: DeviceContext,
        variant: Variant,
        mappings: Mappings,
        buffers: Buffers,
        pop: usize,
    ) -> Self {
        Self {
            context,
            variant,
            mappings,
            who: Who::everybody(pop as u32),
            buffers,
            prepared: Vec::new(),
            table: None,
            auxiliary: Auxiliary::Unused,
        }
    }

    /// How a kernel is mapped to threads.
    pub fn mapping_of(&self, shader: &Shader) -> Result<Mapping, Error> {
        let variant = self.mappings.variant_of(shader, self.variant)?;
        Ok(variant.mapping)
    }

    /// What the auxiliary buffer holds.
    pub fn auxiliary(&self) -> Auxiliary {
        self.auxiliary
    }

    /// Forgets what individuals remember.
    pub fn forget(&mut self) {
        if self.auxiliary == Auxiliary::Memories {
            self.auxiliary = Auxiliary::Unused;
        }
    }

    /// Leaves nobody beside the population.
    pub fn vacate(&mut self) {
        self.auxiliary = Auxiliary::Unused;
    }

    /// Prepares the kernels of an operator, in their order.
    pub fn prepare_operator(
        &mut self,
        operator: &dyn Operator,
        stride: u32,
    ) -> Result<Vec<Prepared>, Error> {
        if operator.renews() {
            self.forget();
        }
        self.keep(operator.auxiliary(self.who.pop))?;
        let calls = operator.kernels(&Call {
            pop: self.who.pop,
            stride,
            is_board: self.variant.kind == ProblemKind::Board,
        });
        calls.iter().map(|call| self.prepare(call)).collect()
    }

    /// Prepares a kernel: compiles it once, writes what is new of its parameters, binds what is
    /// not bound.
    pub fn prepare(&mut self, call: &KernelCall) -> Result<Prepared, Error> {
        if let Some(table) = &call.table {
            self.upload(table);
        }
        let at = match self.prepared.iter().position(|it| it.shader == call.shader) {
            Some(at) => at,
            None => {
                let variant = self.mappings.variant_of(&call.shader, self.variant)?;
                let kernel = self.context.kernel(&call.shader, variant)?;
                let given = kernel
                    .interface
                    .check_params(call.shader.path(), call.params.as_ref());
                given.map_err(Error::Shader)?;
                self.prepared.push(PreparedKernel {
                    shader: call.shader.clone(),
                    kernel,
                    params: None,
                    bindings: None,
                    work: Chunking::Once,
                    dispatches: vec![([1, 1], None)],
                });
                self.prepared.len() - 1
            }
        };
        if self.prepared[at].kernel.has_workspace {
            self.keep(Auxiliary::Workspaces)?;
        }
        let shape = self.prepared[at].kernel.shape(self.variant);
        let work = chunking(&self.context.info, shape, &self.who, &call.dispatch);
        let prepared = &mut self.prepared[at];
        if let Some(params) = &call.params {
            let words = params.words();
            match &mut prepared.params {
                Some((known, _)) if known == words => {}
                Some((known, buffer)) if known.len() == words.len() => {
                    self.context.write(buffer, 0, bytemuck::cast_slice(words));
                    known.copy_from_slice(words);
                }
                other => {
                    let bytes = bytemuck::cast_slice(words);
                    let buffer = self.context.constant(call.shader.name(), bytes);
                    *other = Some((words.to_vec(), buffer));
                    prepared.bindings = None;
                }
            }
        }
        if prepared.work != work {
            let (context, kernel) = (&self.context, &prepared.kernel);
            let bind = |chunk: Chunk| bind_chunk(context, kernel, &chunk);
            let dispatches = workgroups(&context.info, shape, &work).into_iter();
            let dispatches = dispatches.map(|(size, chunk)| (size, chunk.map(bind)));
            prepared.dispatches = dispatches.collect();
            prepared.work = work;
        }
        if prepared.bindings.is_none() {
            let params = prepared.params.as_ref().map(|(_, buffer)| buffer);
            let (device, kernel) = (&self.context.device, &prepared.kernel);
            let bind = |new| bind(device, kernel, &self.buffers, params, new);
            prepared.bindings = Some([bind(0), bind(1)]);
        }
        Ok(Prepared(at))
    }

    /// Copies a table to the device, unless it is there already.
    fn upload(&mut self, table: &Arc<[u32]>) {
        let known = self.table.as_ref();
        if known.is_some_and(|known| Arc::ptr_eq(known, table)) {
            return;
        }
        let bytes: &[u8] = bytemuck::cast_slice(table);
        if self.buffers.table.size() == bytes.len() as u64 {
            self.context.write(&self.buffers.table, 0, bytes);
        } else {
            self.buffers.table = self.context.constant("table", bytes);
            self.unbind(8);
        }
        self.table = Some(table.clone());
    }

    /// Makes room for what the host observes, unless it is there already.
    pub fn make_observation_room(&mut self, words: usize) {
        if self.buffers.observation.size() != 4 * words as u64 {
            let device = &self.context.device;
            let from = BufferUsages::COPY_SRC;
            self.buffers.observation = buffers::storage(device, "observation", 4 * words, from);
            self.unbind(10);
        }
    }

    /// Makes room beside the population, for nobody yet, unless it is there already. Memories have room for
    /// workspaces, too.
    pub fn keep(&mut self, wanted: Auxiliary) -> Result<(), Error> {
        if holds(self.auxiliary, wanted) {
            return Ok(());
        }
        let room = self.buffers.room.of(wanted);
        let bytes = 4 * room.words();
        let most = self.context.info.max_storage_binding;
        if bytes > most {
            let fits = (most / 4).saturating_sub(room.before) / room.each.max(1);
            return Err(Error::BadValue {
                key: room.key.to_owned(),
                value: room.count.to_string(),
                expected: format!("at most {fits} on the adapter {}", self.context.info.name),
            });
        }
        let both = BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
        let (device, bytes) = (&self.context.device, bytes as usize);
        self.buffers.auxiliary = buffers::storage(device, "auxiliary", bytes, both);
        self.unbind(7);
        self.auxiliary = wanted;
        let empty = [
            State::START.elite_count,
            State::START.elite_next,
            State::START.best_ever,
        ];
        self.context.write(
            &self.buffers.state,
            std::mem::offset_of!(State, elite_count) as u64,
            bytemuck::cast_slice(&empty),
        );
        Ok(())
    }

    /// Forgets the bindings of kernels that use a buffer.
    fn unbind(&mut self, binding: u32) {
        for prepared in &mut self.prepared {
            if prepared.kernel.interface.bindings.contains(&binding) {
                prepared.bindings = None;
            }
        }
    }

    /// The name of a kernel.
    pub fn name(&self, Prepared(at): Prepared) -> &str {
        &self.prepared[at].kernel.name
    }

    /// Dispatches that a kernel takes for a population.
    pub fn dispatches(&self, Prepared(at): Prepared) -> usize {
        self.prepared[at].dispatches.len()
    }

    /// Dispatches a kernel that makes, or works on, a generation.
    pub fn dispatch(&self, pass: &mut ComputePass<'_>, Prepared(at): Prepared, generation: u32) {
        let prepared = &self.prepared[at];
        let bindings = prepared.bindings.as_ref();
        let bindings = bindings.expect("prepared kernels are bound");
        pass.set_pipeline(&prepared.kernel.pipeline);
        pass.set_bind_group(0, &bindings[generation as usize % 2], &[]);
        for ([x, y], chunk) in &prepared.dispatches {
            if let Some(chunk) = chunk {
                pass.set_bind_group(1, chunk, &[]);
            }
            pass.dispatch_workgroups(*x, *y, 1);
        }
    }
}

/// The buffers of a kernel that makes generations of this parity, by their binding numbers.
fn bind(
    device: &Device,
    kernel: &Kernel,
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
        5 => params.expect("parameters are checked when a kernel is prepared"),
        6 => &buffers.records,
        7 => &buffers.auxiliary,
        8 => &buffers.table,
        9 => &buffers.champion,
        10 => &buffers.observation,
        _ => unreachable!("bindings are checked when a kernel is compiled"),
    };
    let entries: Vec<_> = kernel
        .interface
        .bindings
        .iter()
        .map(|&binding| BindGroupEntry {
            binding,
            resource: buffer(binding).as_entire_binding(),
        })
        .collect();
    device.create_bind_group(&BindGroupDescriptor {
        label: Some(&kernel.name),
        layout: &kernel.pipeline.get_bind_group_layout(0),
        entries: &entries,
    })
}

fn bind_chunk(context: &DeviceContext, kernel: &Kernel, chunk: &Chunk) -> BindGroup {
    let buffer = context.constant("chunk", bytemuck::bytes_of(chunk));
    context.device.create_bind_group(&BindGroupDescriptor {
        label: Some("chunk"),
        layout: &kernel.pipeline.get_bind_group_layout(1),
        entries: &[BindGroupEntry {
            binding: 0,
            resource: buffer.as_entire_binding(),
        }],
    })
}
