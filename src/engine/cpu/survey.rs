//! Twin of `shaders/common/survey.wgsl`: the best, the worst and the sum of a generation's fitness.

use crate::population::Record;

/// Surveys the fitness of a generation from this individual on, of which the record has been begun; ties go to the
/// lowest individual.
pub fn survey(begun: Record, first: usize, fitness: &[u32]) -> Record {
    let mut record = Record {
        best: u32::MAX,
        ..begun
    };
    let mut sum = 0u64;
    for (individual, &fitness) in (first as u32..).zip(fitness) {
        if fitness < record.best {
            (record.best, record.best_at) = (fitness, individual);
        }
        if fitness > record.worst {
            (record.worst, record.worst_at) = (fitness, individual);
        }
        sum += u64::from(fitness);
    }
    (record.sum_low, record.sum_high) = (sum as u32, (sum >> 32) as u32);
    record
}
