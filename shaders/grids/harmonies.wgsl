// A batch of harmonies outside of the memory: the fitness of each, who is best, second best and so
// on, then their cells.

// The parameters, in the order of the operator's `Params`.
struct Improvise {
    // Harmonies of a generation, and entries of the table of pitches.
    batch: u32,
    pitches: u32,
    // Not 0: a harmony that is in the memory already does not enter it.
    distinct: u32,
}

@group(0) @binding(5) var<storage, read> improvise: Improvise;
@group(0) @binding(7) var<storage, read_write> harmonies: array<u32>;

// In the place of one who must not enter, and of one whose rank a driver has cut short.
const NOBODY = 0xffffffffu;
const UNRANKED = 0xfffffffeu;

fn order_at(rank: u32) -> u32 {
    return improvise.batch + rank;
}

fn harmony_word_at(harmony: u32, word: u32) -> u32 {
    return 2u * improvise.batch + harmony * WORDS + word;
}
