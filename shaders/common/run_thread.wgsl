#import common/run

// Storage and not uniform, as all parameters that steer loops: Mesa's software driver compiles a
// shader anew for the uniforms of every dispatch. What it reads from storage inside of loops and
// branches it reads for every thread anew, so each has a copy. What the text of a shader depends on
// anyhow is a constant there: it need not divide by it, and can unroll short loops.
@group(0) @binding(0) var<storage, read> stored_run: Run;

var<private> run: Run;

// Before anything else in a kernel.
fn begin_run() {
    run = stored_run;
    run.size = SIZE;
    run.block_width = BLOCK_WIDTH;
    run.segment_width = SEGMENT_WIDTH;
    run.words = WORDS;
    run.row_words = ROW_WORDS;
}
