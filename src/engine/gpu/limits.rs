//! What an adapter can do: how many individuals it can hold.

use super::adapter::AdapterInfo;
use super::buffers;
use super::shaders::{Mapping, Variant};
use crate::engine::Setup;
use crate::error::Error;
use crate::population::words_of;
use crate::problem::Form;

/// How many individuals an adapter can hold, with all that they may have to remember.
pub fn fitting_population(info: &AdapterInfo, setup: &Setup<'_>) -> usize {
    let form = setup.instance.form();
    let fits = bindable(info) / individual_bytes(form);
    if !setup.representation.are_permutations() {
        return fits;
    }
    // Their order and their memories are bound together with the workspaces.
    let variant = match form {
        Form::Grid(geometry) => Variant::grid(geometry.size(), Mapping::Workgroup),
        Form::Placement(queens) => Variant::board(queens),
    };
    let workspaces = 4 * buffers::workspaces(variant, setup.pop) * variant.workspace_words();
    let remembered = 4 * (2 + 2 * setup.instance.free_cells());
    fits.min(bindable(info).saturating_sub(workspaces) / remembered)
}

fn bindable(info: &AdapterInfo) -> usize {
    usize::try_from(info.max_storage_binding).unwrap_or(usize::MAX)
}

/// Of an individual: its fitness, its swaps, its cells.
fn individual_bytes(form: Form) -> usize {
    4 * (2 + words_of(form))
}

pub(super) fn check_limits(
    info: &AdapterInfo,
    variant: Variant,
    form: Form,
    pop: usize,
) -> Result<(), Error> {
    let fits = bindable(info) / individual_bytes(form);
    if pop > fits {
        return Err(Error::PopulationTooLarge {
            pop,
            fits,
            cells: form.cells(),
            place: format!("the adapter {}", info.name),
        });
    }
    let memory = variant.workgroup_memory();
    if memory > info.max_workgroup_memory as usize {
        return Err(Error::DeviceUnsupported {
            adapter: info.name.clone(),
            reason: format!(
                "it has {} bytes of workgroup memory and {memory} are needed; use --backend cpu",
                info.max_workgroup_memory
            ),
        });
    }
    Ok(())
}
