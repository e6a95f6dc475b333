#import common/run

// Storage and not uniform, as all parameters that steer loops: Mesa's software driver compiles a
// shader anew for the uniforms of every dispatch. What it reads from storage inside of loops and
// branches it reads for every thread anew, so each has a copy.
@group(0) @binding(0) var<storage, read> stored_run: Run;

var<private> run: Run;

// Before anything else in a kernel.
fn begin_run() {
    run = stored_run;
}
