#import common/run

// The run so far, as every kernel reads it. Survey and elite learning write it and declare it themselves.
@group(0) @binding(2) var<storage, read> state: State;
