// A copy of the operators in use for each thread, for the reason that there is one of `run`.
@group(0) @binding(5) var<storage, read> stored_breed: Breed;

var<private> breed: Breed;

fn begin_operators() {
    breed = stored_breed;
}
