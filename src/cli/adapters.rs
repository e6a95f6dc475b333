//! `gpusudoku adapters`.

use clap::Args;
use gpusudoku::engine::gpu::adapter::{self, AdapterInfo};
use serde_json::json;

use super::exit::Status;
use super::{CommandResult, OutputFormat, print, print_json};

#[derive(Debug, Args)]
pub struct AdaptersArgs {
    /// How the list is written.
    #[arg(long, value_enum, default_value = "text")]
    format: OutputFormat,
}

pub fn adapters(args: AdaptersArgs) -> CommandResult {
    let adapters = pollster::block_on(adapter::list());
    let automatic = adapter::automatic(&adapters);
    for info in &adapters {
        let auto = automatic.is_some_and(|auto| auto.index == info.index);
        match args.format {
            OutputFormat::Json => print_json(&as_json(info, auto))?,
            OutputFormat::Text => print(&as_text(info))?,
        }
    }
    if args.format == OutputFormat::Text {
        print(&match automatic {
            Some(info) => format!(
                "auto takes {} ({}), the strongest GPU there is, or the native CPU engine: a run of more than half \
                 a second measures which of them is faster",
                info.index, info.name
            ),
            None if adapters.is_empty() => format!(
                "auto takes the native CPU engine: {} found no adapter",
                adapter::backends_tried()
            ),
            None => {
                "auto takes the native CPU engine: software adapters are slower than it".to_owned()
            }
        })?;
    }
    Ok(Status::Success)
}

fn as_text(info: &AdapterInfo) -> String {
    format!(
        "{}: {}\n   {}, {}, driver {}\n   storage binding {} MiB, workgroup memory {} KiB, \
         {} invocations a workgroup, {} workgroups a dimension, {}",
        info.index,
        info.name,
        info.kind,
        info.backend,
        info.driver,
        info.max_storage_binding >> 20,
        info.max_workgroup_memory >> 10,
        info.max_workgroup_size,
        info.max_workgroups,
        match info.subgroup_lanes {
            0 => "no subgroups".to_owned(),
            lanes => format!("subgroups of {lanes} lanes or more"),
        }
    )
}

fn as_json(info: &AdapterInfo, auto: bool) -> serde_json::Value {
    json!({
        "index": info.index,
        "name": info.name,
        "type": info.kind,
        "software": info.software,
        "backend": info.backend,
        "driver": info.driver,
        "max_storage_binding": info.max_storage_binding,
        "max_workgroup_memory": info.max_workgroup_memory,
        "max_workgroup_size": info.max_workgroup_size,
        "max_workgroups": info.max_workgroups,
        "subgroup_lanes": info.subgroup_lanes,
        "auto": auto,
    })
}
