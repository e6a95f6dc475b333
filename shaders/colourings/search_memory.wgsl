#import common/chunk

// Where a search of a colouring keeps what it knows: in workgroup memory if that has room for it, otherwise in storage,
// where every workgroup of a dispatch has a search of its own. Any lane alone.
//
// Storage begins with searches, whatever else a buffer of its kind has there: nobody else uses it meanwhile.

// How often each digit is chosen in a line: plane p has bit p of the counts of all digits, so that 32 of them or more
// are added up at once.
alias Planes = array<Mask, PLANES>;

struct Search {
    // Of every line, unless they are in workgroup memory.
    counts: array<Planes, STORED_LINES>,
    // The digits of the open cells, four a word, unless they are in workgroup memory; HOLE where the digit is given.
    digits: array<u32, STORED_WORDS>,
    // The vertices in conflict that are not in workgroup memory.
    troubled: array<u32, STORED_VERTICES>,
    // The move from which on each choice is allowed.
    allowed_from: array<u32, STORED_CHOICES>,
    // The fewest conflicts of this generation so far.
    fewest: u32,
    // Not 0 if a dispatch has been cut short.
    truncated: u32,
}

@group(0) @binding(7) var<storage, read_write> searches: array<Search>;

var<workgroup> near_counts: array<Planes, NEAR_LINES>;
var<workgroup> near_digits: array<u32, NEAR_WORDS>;

// Which search is that of this workgroup.
var<private> search: u32;

// Before anything else here.
fn search_open(individual: u32) {
    search = individual - chunk.first;
}

fn counts_get(line: u32) -> Planes {
    if LINES_IN_STORAGE {
        return searches[search].counts[line];
    }
    return near_counts[line];
}

fn counts_set(line: u32, planes: Planes) {
    if LINES_IN_STORAGE {
        searches[search].counts[line] = planes;
    } else {
        near_counts[line] = planes;
    }
}

// Four cells.
fn digits_get(word: u32) -> u32 {
    if DIGITS_IN_STORAGE {
        return searches[search].digits[word];
    }
    return near_digits[word];
}

fn digits_set(word: u32, digits: u32) {
    if DIGITS_IN_STORAGE {
        searches[search].digits[word] = digits;
    } else {
        near_digits[word] = digits;
    }
}
