#entry item
#mapping thread
#import colourings/packing_state
#import colourings/cooling
#import common/children
#import common/parents
#import common/rng

// Focused Metropolis searches on packings, a thread each. Twin: src/operators/colourings/packing.rs.
//
// A step has nothing that lanes could share: it reads a handful of words that depend on each other, and rarely
// writes. So a GPU has as many searches as it has threads, and waits for memory in many of them at once.
//
// A generation takes many dispatches: the first loads everybody and makes no steps, the last writes the children.

// The parameters, in the order of the operator's `Params`.
struct Packing {
    // Draws of a generation, for two steps each.
    draws: u32,
    // How often a candidate is taken that throws out two others, in 2^-32.
    least: u32,
    most: u32,
    period: u32,
}

@group(0) @binding(5) var<storage, read> packing: Packing;

// One step: `choice` is for an uncovered element and one of its candidates, `chance` decides whether that is taken. The
// rates are those of throwing out two others, and three.
fn step(choice: u32, chance: u32, rates: vec2<u32>) {
    let element = packings[uncovered_at + bounded(choice, uncovered)];
    // What the first choice has left of its word makes the second.
    let candidate = first_candidate(element) + bounded(choice * uncovered, candidate_count(element));
    let its = elements_of(candidate);
    let owners = owners_of(its);
    // If there is one owner, this is who.
    let owner = owners.x | owners.y | owners.z | owners.w;
    if all((owners == vec4(0u)) | (owners == vec4(owner))) {
        if owner == 0u {
            insert(candidate, its);
        } else {
            replace(owner - 1u, candidate, its);
        }
    } else if chance < rates.x {
        throw_out(owners, candidate, its, chance < rates.y);
    }
}

// Takes a candidate in for two others, or, if it may be, for three.
fn throw_out(owners: vec4<u32>, candidate: u32, its: vec4<u32>, may_be_three: bool) {
    let first_x = owners.x != 0u;
    let first_y = owners.y != 0u && owners.y != owners.x;
    let first_z = owners.z != 0u && all(owners.zz != owners.xy);
    let first_w = owners.w != 0u && all(owners.www != owners.xyz);
    let firsts = vec4(first_x, first_y, first_z, first_w);
    let out = select(vec4(0u), vec4(1u), firsts);
    if !may_be_three && out.x + out.y + out.z + out.w != 2u {
        return;
    }
    if first_x {
        eject(owners.x - 1u);
    }
    if first_y {
        eject(owners.y - 1u);
    }
    if first_z {
        eject(owners.z - 1u);
    }
    if first_w {
        eject(owners.w - 1u);
    }
    insert(candidate, its);
}

fn work(individual: u32, lane: u32) {
    let start = packing_open(individual);
    if chunk.generations == 0u {
        begin_child(individual, lane);
        packing_load(individual);
        packings[start + PACKING_UNCOVERED] = uncovered;
        packings[start + PACKING_STEPS] = 0u;
        packings[start + PACKING_TRUNCATED] = select(0u, 1u, group_truncated(lane));
        return;
    }
    uncovered = packings[start + PACKING_UNCOVERED];
    var steps = packings[start + PACKING_STEPS];
    let key = key_of(state.generation + 1u);
    let rate = cooled(vec2(packing.least, packing.most), packing.period, state.generation + 1u, individual);
    let rates = vec2(rate, bounded(rate, rate));
    let last = min(chunk.before + chunk.generations, packing.draws);
    for (var number = chunk.before + 1u; number <= last && uncovered > 0u; number++) {
        let words = draw(key, individual, SITE_STEP, number);
        step(words.x, words.y, rates);
        steps++;
        if uncovered > 0u {
            step(words.z, words.w, rates);
            steps++;
        }
    }
    packings[start + PACKING_UNCOVERED] = uncovered;
    packings[start + PACKING_STEPS] = steps;
    if chunk.before + chunk.generations >= packing.draws {
        for (var word = 0u; word < WORDS; word++) {
            new_population[child_word_at(individual, word)] = packed_word(word);
        }
        let holes = packing_holes();
        let failed = packings[start + PACKING_TRUNCATED] != 0u || group_truncated(lane);
        set_child(individual, select(holes, TRUNCATED, failed), steps);
    } else if group_truncated(lane) {
        packings[start + PACKING_TRUNCATED] = 1u;
    }
}
