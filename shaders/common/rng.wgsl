// The random numbers of src/rng.rs, bit for bit.

const SITE_INITIALISE = 0u;
const SITE_MATE = 1u;
const SITE_CROSSOVER_ROW = 2u;
const SITE_MUTATE_ROW = 3u;
const SITE_REINITIALISE = 4u;
const SITE_SEARCH = 5u;
const SITE_TOURNAMENT = 6u;
const SITE_ELITE = 7u;
const SITE_ELITE_INITIALISE = 8u;
const SITE_SAMPLE = 9u;
const SITE_IMPROVISE = 10u;
const SITE_POLLINATE = 11u;
const SITE_PROPOSE = 12u;
const SITE_PULL = 13u;
const SITE_STEP = 14u;
// The first index there at which holes are filled.
const FILL = 134217728u;
// For operators from outside of the crate: `Site::Host` there.
const SITE_OWN = 15u;

// Jarzynski & Olano, "Hash Functions for GPU Rendering", JCGT 9(3), 2020.
fn pcg4d(input: vec4<u32>) -> vec4<u32> {
    var v = input * 1664525u + 1013904223u;
    v.x += v.y * v.w;
    v.y += v.z * v.x;
    v.z += v.x * v.y;
    v.w += v.y * v.z;
    v ^= v >> vec4(16u);
    v.x += v.y * v.w;
    v.y += v.z * v.x;
    v.z += v.x * v.y;
    v.w += v.y * v.z;
    return v;
}

// The key of a generation.
fn key_of(generation: u32) -> vec4<u32> {
    return pcg4d(vec4(run.seed_low, run.seed_high, generation, 0u));
}

// Four random words for one individual.
fn draw(key: vec4<u32>, individual: u32, site: u32, index: u32) -> vec4<u32> {
    return pcg4d(key ^ vec4(individual, (index << 4u) | site, 0u, 0u));
}

// The high half of word * n, by 16-bit halves: a random number below n.
fn bounded(word: u32, n: u32) -> u32 {
    let word_low = word & 0xffffu;
    let word_high = word >> 16u;
    let n_low = n & 0xffffu;
    let n_high = n >> 16u;
    let middle = word_high * n_low + ((word_low * n_low) >> 16u);
    let carry = word_low * n_high + (middle & 0xffffu);
    return word_high * n_high + (middle >> 16u) + (carry >> 16u);
}

// The same for an n below 2^16.
fn bounded_short(word: u32, n: u32) -> u32 {
    return ((word >> 16u) * n + (((word & 0xffffu) * n) >> 16u)) >> 16u;
}

// Whether a coin with this rate (2^31 is always) falls heads.
fn hit(word: u32, rate: u32) -> bool {
    return word >> 1u < rate;
}
