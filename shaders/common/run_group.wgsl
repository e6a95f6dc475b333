#import common/run

// Storage and not uniform, as all parameters that steer loops: Mesa's software driver compiles a
// shader anew for the uniforms of every dispatch.
@group(0) @binding(0) var<storage, read> run: Run;

// Before anything else in a kernel.
fn begin_run() {}
