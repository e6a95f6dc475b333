#entry fitness
#mapping thread if N <= 64
#import grids/evaluate_{lanes}

// The fitness of whole grids. Twin: src/engine/cpu/grids/evaluate.rs.
