//! Devices that fail, kernels that lie and engines that are slow, to test what is done about them. Only in programs that are
//! built with the feature `faults`; others never fail on purpose.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// Names what goes wrong, such as `lost@5,silent@9,lie,miscount,binding=65536,auto-software,slow-gpu=2000`: something
/// at the nth submission of the process, or always. An engine that is slow takes so many microseconds longer for each
/// record.
const VARIABLE: &str = "GPUSUDOKU_FAULTS";

/// What can happen to a submission.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The device is lost before it.
    Lost,
    /// The device is lost after it.
    Vanished,
    /// The device is lost while it is waited for, at which wgpu panics.
    Panic,
    /// The device does not answer.
    Silent,
    /// There is no memory left.
    OutOfMemory,
    /// It is not valid.
    Invalid,
}

#[derive(Debug, Default)]
struct Faults {
    submissions: Vec<(Fault, u32)>,
    lie: bool,
    miscount: bool,
    auto_software: bool,
    binding: Option<u64>,
    slow_cpu: u32,
    slow_gpu: u32,
}

/// What goes wrong at this submission, which is counted.
pub fn at_submission() -> Option<Fault> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let faults = planned()?;
    let number = COUNT.fetch_add(1, Ordering::Relaxed) + 1;
    let due = |(fault, at): &(Fault, u32)| (*at == number).then_some(*fault);
    faults.submissions.iter().find_map(due)
}

/// Whether kernels call the first individual solved.
pub fn kernels_lie() -> bool {
    planned().is_some_and(|faults| faults.lie)
}

/// The source of a kernel, or that of one that lies, or of one that counts one too many: only shaders do
/// so, so that the engines disagree.
pub fn corrupt(source: String) -> String {
    let miscount = planned().is_some_and(|faults| faults.miscount);
    if !kernels_lie() && !miscount {
        return source;
    }
    // Where kernels write what they have counted.
    let fitness = [
        "fitness",
        "select(fitness, TRUNCATED, truncated || before == TRUNCATED)",
    ];
    fitness.into_iter().fold(source, |source, value| {
        let honest = format!("new_population[individual] = {value};");
        let wrong = match miscount {
            true => format!("{value} + 1u"),
            false => "0u".to_owned(),
        };
        let lying =
            format!("new_population[individual] = select({value}, {wrong}, individual == 0u);");
        source.replace(&honest, &lying)
    })
}

/// Whether `--backend auto` takes a software adapter.
pub fn software_will_do() -> bool {
    planned().is_some_and(|faults| faults.auto_software)
}

/// Waits as an engine that is slow would, for so many records.
pub fn delay(is_gpu: bool, records: usize) {
    let each = planned().map_or(0, |faults| match is_gpu {
        true => faults.slow_gpu,
        false => faults.slow_cpu,
    });
    if each > 0 {
        std::thread::sleep(Duration::from_micros(u64::from(each) * records as u64));
    }
}

/// What an adapter can bind, if that is to be less than it says.
pub fn binding(real: u64) -> u64 {
    let limit = planned().and_then(|faults| faults.binding);
    limit.map_or(real, |limit| limit.min(real))
}

fn planned() -> Option<&'static Faults> {
    static PLANNED: OnceLock<Option<Faults>> = OnceLock::new();
    if !cfg!(feature = "faults") {
        return None;
    }
    let read = || std::env::var(VARIABLE).ok().map(|text| parse(&text));
    PLANNED.get_or_init(read).as_ref()
}

/// # Panics
/// If the text names no faults: a test with a misspelt one would prove nothing.
fn parse(text: &str) -> Faults {
    let mut faults = Faults::default();
    for part in text.split(',') {
        let number = |text: &str| {
            text.parse()
                .unwrap_or_else(|_| panic!("{VARIABLE}: {part}"))
        };
        match part.split_once(['@', '=']) {
            None if part == "lie" => faults.lie = true,
            None if part == "miscount" => faults.miscount = true,
            None if part == "auto-software" => faults.auto_software = true,
            Some(("slow-cpu", micros)) => faults.slow_cpu = number(micros),
            Some(("slow-gpu", micros)) => faults.slow_gpu = number(micros),
            Some(("binding", bytes)) => faults.binding = Some(u64::from(number(bytes))),
            Some((name, at)) => {
                let fault = match name {
                    "lost" => Fault::Lost,
                    "vanished" => Fault::Vanished,
                    "panic" => Fault::Panic,
                    "silent" => Fault::Silent,
                    "memory" => Fault::OutOfMemory,
                    "invalid" => Fault::Invalid,
                    _ => panic!("{VARIABLE}: {part}"),
                };
                faults.submissions.push((fault, number(at)));
            }
            None => panic!("{VARIABLE}: {part}"),
        }
    }
    faults
}
