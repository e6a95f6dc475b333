//! Python bindings: a thin front door. What it offers are features of the library, with tests in Rust; here arrays
//! and exceptions are translated. Names that users see are in `python/gpusudoku/`.

mod arguments;
mod evaluator;
mod experiment;
mod puzzles;
mod run;

use pyo3::prelude::*;

/// The native part of the package.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("Error", module.py().get_type::<arguments::Error>())?;
    module.add_class::<evaluator::Evaluator>()?;
    module.add_class::<evaluator::Session>()?;
    module.add_class::<experiment::Experiment>()?;
    module.add_class::<experiment::Store>()?;
    module.add_function(wrap_pyfunction!(run::run, module)?)?;
    module.add_function(wrap_pyfunction!(run::algorithms, module)?)?;
    module.add_function(wrap_pyfunction!(puzzles::generate, module)?)?;
    module.add_function(wrap_pyfunction!(puzzles::check, module)?)?;
    module.add_function(wrap_pyfunction!(puzzles::adapters, module)?)?;
    module.add_function(wrap_pyfunction!(experiment::report, module)?)?;
    module.add_function(wrap_pyfunction!(experiment::tables, module)?)?;
    Ok(())
}
