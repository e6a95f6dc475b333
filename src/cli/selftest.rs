//! `gpusudoku selftest`.

use std::time::Instant;

use clap::Args;
use gpusudoku::engine::gpu::adapter::{self, AdapterChoice, AdapterInfo};
use gpusudoku::error::Error;
use gpusudoku::lab::selftest;

use super::exit::{Failure, Status};
use super::table::Table;
use super::{CommandResult, print};

#[derive(Debug, Args)]
pub struct SelftestArgs {
    /// The adapter, by part of its name or by its number in `gpusudoku adapters` [default: the strongest].
    #[arg(long, value_name = "NAME-OR-INDEX")]
    adapter: Option<String>,
    /// One comparison for each family of kernels: some seconds.
    #[arg(long)]
    short: bool,
}

pub fn selftest(args: SelftestArgs) -> CommandResult {
    let choice = match &args.adapter {
        Some(adapter) => AdapterChoice::from(adapter.as_str()),
        None => AdapterChoice::Best,
    };
    let info = pollster::block_on(adapter::find(&choice))?;
    print(&format!("{} against the native engine", describe(&info)))?;
    let mut table = Table::new(
        3,
        [
            "what",
            "problem",
            "result",
            "individuals",
            "generations",
            "s",
        ],
    );
    let mut differences = Vec::new();
    let mut impossible = Vec::new();
    let mut compared = 0;
    for check in selftest::checks(args.short) {
        let clock = Instant::now();
        let finding = match pollster::block_on(selftest::check(&check, &choice)) {
            // What it cannot do, it does not do wrong.
            Err(Error::DeviceUnsupported { reason, .. }) => {
                let cells = [check.what, &check.problem, "cannot", "-", "-", "-"];
                table.row(cells.map(str::to_owned).to_vec());
                impossible.push(format!("{} on {}: {reason}", check.what, check.problem));
                continue;
            }
            finding => finding?,
        };
        let result = match finding.difference {
            None => "same",
            Some(_) => "DIFFERENT",
        };
        compared += 1;
        table.row(vec![
            check.what.to_owned(),
            check.problem.clone(),
            result.to_owned(),
            finding.pop.to_string(),
            finding.generations.to_string(),
            format!("{:.1}", clock.elapsed().as_secs_f64()),
        ]);
        if let Some(difference) = finding.difference {
            differences.push(format!("{} on {}: {difference}", check.what, check.problem));
        }
    }
    print(&table.to_string())?;
    for reason in &impossible {
        print(&format!("not compared: {reason}"))?;
    }
    match differences.as_slice() {
        [] => {
            print(&format!(
                "the adapter makes the native engine's populations to the bit in {compared} comparisons of {}",
                compared + impossible.len()
            ))?;
            Ok(Status::Success)
        }
        [first, ..] => {
            for difference in &differences {
                print(difference)?;
            }
            Err(Failure::rejected(format!(
                "{} of the comparisons differ, first {first}. Please send this whole output, that of \
                 `gpusudoku adapters --format json` and the version of the driver with a report of the fault",
                differences.len()
            )))
        }
    }
}

/// Refuses to go on with an adapter that does not agree with the native engine.
pub fn agrees(info: &AdapterInfo) -> Result<(), Failure> {
    let choice = AdapterChoice::Index(info.index);
    for check in selftest::checks(true) {
        let finding = pollster::block_on(selftest::check(&check, &choice))?;
        if let Some(difference) = finding.difference {
            return Err(Failure::rejected(format!(
                "the adapter {} does not make the native engine's populations, so its speed means nothing: {} \
                 on {}: {difference}; `gpusudoku selftest --adapter {}` says more",
                info.name, check.what, check.problem, info.index
            )));
        }
    }
    Ok(())
}

fn describe(info: &AdapterInfo) -> String {
    format!(
        "gpusudoku {}: adapter {} ({}, {}, {}, driver {})",
        env!("CARGO_PKG_VERSION"),
        info.index,
        info.name,
        info.kind,
        info.backend,
        info.driver
    )
}
