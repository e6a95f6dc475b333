//! What naga finds in a composed kernel: whether it is right, which buffers it uses, and whether its parameters
//! are those that its operator gives.

use naga::valid::{Capabilities, ShaderStages, SubgroupOperationSet, ValidationFlags, Validator};
use naga::{AddressSpace, Module, TypeInner};

use super::compose::Composed;
use crate::operators::kernel::Params;

/// The binding of an operator's parameters.
pub const PARAMS: u32 = 5;

/// A kernel's interface.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interface {
    /// The buffers of group 0 that its entry point uses, ascending.
    pub bindings: Vec<u32>,
    /// The names and offsets of its parameters.
    params: Vec<(String, u32)>,
}

/// Checks a kernel and finds its interface. An error is what a compiler says, with file and line of ours.
pub fn reflect(composed: &Composed) -> Result<Interface, String> {
    let text = &composed.text;
    let located = |line: Option<u32>, message: String| match line
        .and_then(|line| composed.origin(line as usize))
    {
        Some(origin) => format!("{origin}: {message}"),
        None => message,
    };
    let module = naga::front::wgsl::parse_str(text).map_err(|error| {
        let line = error.location(text).map(|location| location.line_number);
        located(line, error.message().to_owned())
    })?;
    let info = validator().validate(&module).map_err(|error| {
        let line = error.location(text).map(|location| location.line_number);
        located(line, causes(error.as_inner()))
    })?;
    let entry = info.get_entry_point(0);
    let mut bindings: Vec<u32> = module
        .global_variables
        .iter()
        .filter(|(handle, _)| !entry[*handle].is_empty())
        .filter_map(|(_, variable)| variable.binding.as_ref())
        .filter(|binding| binding.group == 0)
        .map(|binding| binding.binding)
        .collect();
    bindings.sort_unstable();
    Ok(Interface {
        bindings,
        params: params(&module),
    })
}

/// Admits what kernels use: subgroup operations, and nothing else that WebGPU does not have everywhere.
fn validator() -> Validator {
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::SUBGROUP);
    validator
        .subgroup_stages(ShaderStages::COMPUTE)
        .subgroup_operations(SubgroupOperationSet::all());
    validator
}

/// An error and what led to it, in one sentence.
fn causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}

/// The words of the struct at the binding of parameters, those of a struct in it as its own.
fn params(module: &Module) -> Vec<(String, u32)> {
    let at_params = |variable: &&naga::GlobalVariable| {
        let binding = variable.binding.as_ref();
        let is_storage = matches!(variable.space, AddressSpace::Storage { .. });
        is_storage && binding.is_some_and(|at| at.group == 0 && at.binding == PARAMS)
    };
    let variables = module.global_variables.iter();
    let found = variables.map(|(_, variable)| variable).find(at_params);
    let mut words = Vec::new();
    if let Some(variable) = found {
        flatten(module, variable.ty, 0, &mut words);
    }
    words
}

fn flatten(module: &Module, ty: naga::Handle<naga::Type>, at: u32, words: &mut Vec<(String, u32)>) {
    if let TypeInner::Struct { members, .. } = &module.types[ty].inner {
        for member in members {
            let offset = at + member.offset;
            match &module.types[member.ty].inner {
                TypeInner::Struct { .. } => flatten(module, member.ty, offset, words),
                // The array behind the parameters.
                TypeInner::Array { .. } => {}
                _ => words.push((member.name.clone().unwrap_or_default(), offset)),
            }
        }
    }
}

impl Interface {
    /// Refuses parameters that the shader's struct does not have in this order.
    pub fn check_params(&self, name: &str, given: Option<&Params>) -> Result<(), String> {
        let given: Vec<_> = match given {
            Some(params) => {
                let words = (0..).step_by(4).zip(params.names());
                words.map(|(at, name)| ((*name).to_owned(), at)).collect()
            }
            None => Vec::new(),
        };
        let uses_none = !self.bindings.contains(&PARAMS) && given.is_empty();
        if uses_none || self.params == given {
            return Ok(());
        }
        let names = |params: &[(String, u32)]| {
            let names: Vec<_> = params.iter().map(|(name, _)| name.as_str()).collect();
            names.join(", ")
        };
        Err(format!(
            "{name}: its parameters are ({}), and its operator gives ({})",
            names(&self.params),
            names(&given)
        ))
    }
}
