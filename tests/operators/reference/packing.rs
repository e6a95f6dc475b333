//! The model of the searches that keep a partial grid without conflicts: a packing of an exact cover.

use gpusudoku::operators::Packing;
use gpusudoku::population::HOLE;
use gpusudoku::problem::Geometry;
use gpusudoku::rng::Site;

use super::colouring::{ColouringModel, temperature};

/// What wants to be covered once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Element {
    Cell(usize),
    Row(usize, u8),
    Column(usize, u8),
    Box(usize, u8),
}

/// A cell with one of its digits, and what that covers: cell, row, column, box.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Candidate {
    cell: usize,
    digit: u8,
}

impl Candidate {
    fn covers(self, geometry: Geometry) -> Vec<Element> {
        let (n, digit) = (geometry.size(), self.digit);
        let (row, col) = (self.cell / n, self.cell % n);
        let mut covers = vec![
            Element::Cell(self.cell),
            Element::Row(row, digit),
            Element::Column(col, digit),
        ];
        if let Some(shape) = geometry.boxes() {
            let in_a_band = n / shape.cols;
            let number = row / shape.rows * in_a_band + col / shape.cols;
            covers.push(Element::Box(number, digit));
        }
        covers
    }
}

/// A step that was made.
#[derive(Debug, Clone, Copy)]
pub struct Step {
    pub generation: u32,
    pub individual: usize,
    /// The draw, from 1, and whether it was the first step of the two that it is for.
    pub draw: u32,
    pub first: bool,
    pub chance: u32,
    /// How many would be thrown out, and whether that was done.
    pub owners: usize,
    pub taken: bool,
    /// What was chosen is a cell.
    pub chose_a_cell: bool,
    /// One was thrown out, and its cell took another digit.
    pub recoloured: bool,
    /// How many of its elements the only one thrown out shared with the candidate.
    pub shared: usize,
    /// Nothing was left uncovered.
    pub solved: bool,
}

/// All steps, in their order.
#[derive(Debug, Clone, Default)]
pub struct Steps(pub Vec<Step>);

impl Steps {
    /// How many are like that.
    pub fn count(&self, which: impl Fn(&Step) -> bool) -> usize {
        self.0.iter().filter(|step| which(step)).count()
    }
}

/// All elements by their number, and the candidates of each.
struct Cover {
    geometry: Geometry,
    elements: Vec<Element>,
    candidates: Vec<Vec<Candidate>>,
}

impl Cover {
    fn new(model: &ColouringModel<'_>) -> Self {
        let geometry = model.reduction.puzzle().geometry();
        let mut elements: Vec<Element> =
            model.open.iter().map(|&cell| Element::Cell(cell)).collect();
        let mut candidates = vec![Vec::new(); elements.len()];
        for (&cell, list) in model.open.iter().zip(&model.lists) {
            for &digit in list {
                let candidate = Candidate { cell, digit };
                for element in candidate.covers(geometry) {
                    if !elements.contains(&element) {
                        elements.push(element);
                        candidates.push(Vec::new());
                    }
                    let at = elements.iter().position(|&other| other == element);
                    candidates[at.unwrap()].push(candidate);
                }
            }
        }
        Self {
            geometry,
            elements,
            candidates,
        }
    }

    fn candidates_of(&self, element: Element) -> &[Candidate] {
        let at = self.elements.iter().position(|&other| other == element);
        &self.candidates[at.unwrap()]
    }
}

/// A partial grid at work.
struct Partial<'a> {
    cover: &'a Cover,
    placed: Vec<Candidate>,
    uncovered: Vec<Element>,
}

impl<'a> Partial<'a> {
    /// What comes first stays, and what is in conflict with it becomes a hole.
    fn load(cover: &'a Cover, digits: impl Iterator<Item = (usize, u8)>) -> Self {
        let mut partial = Self {
            cover,
            placed: Vec::new(),
            uncovered: Vec::new(),
        };
        for (cell, digit) in digits.filter(|&(_, digit)| digit != HOLE) {
            let candidate = Candidate { cell, digit };
            if partial.owners(candidate).is_empty() {
                partial.placed.push(candidate);
            }
        }
        let elements = cover.elements.iter().copied();
        partial.uncovered = elements
            .filter(|&element| partial.owner(element).is_none())
            .collect();
        partial
    }

    /// Who covers an element.
    fn owner(&self, element: Element) -> Option<Candidate> {
        let covers = |one: &&Candidate| one.covers(self.cover.geometry).contains(&element);
        self.placed.iter().find(covers).copied()
    }

    /// Who covers what a candidate would cover, each once.
    fn owners(&self, candidate: Candidate) -> Vec<Candidate> {
        let mut owners = Vec::new();
        for element in candidate.covers(self.cover.geometry) {
            if let Some(owner) = self.owner(element)
                && !owners.contains(&owner)
            {
                owners.push(owner);
            }
        }
        owners
    }

    fn place_in_the_list(&self, element: Element) -> usize {
        let place = self.uncovered.iter().position(|&other| other == element);
        place.expect("it is not covered")
    }

    fn insert(&mut self, candidate: Candidate) {
        for element in candidate.covers(self.cover.geometry) {
            let place = self.place_in_the_list(element);
            let last = self.uncovered.pop().unwrap();
            if place < self.uncovered.len() {
                self.uncovered[place] = last;
            }
        }
        self.placed.push(candidate);
    }

    fn replace(&mut self, old: Candidate, new: Candidate) {
        let geometry = self.cover.geometry;
        for (one, other) in old.covers(geometry).into_iter().zip(new.covers(geometry)) {
            if one != other {
                let place = self.place_in_the_list(other);
                self.uncovered[place] = one;
            }
        }
        self.placed.retain(|&one| one != old);
        self.placed.push(new);
    }

    fn throw_out(&mut self, owner: Candidate) {
        self.placed.retain(|&one| one != owner);
        self.uncovered.extend(owner.covers(self.cover.geometry));
    }

    /// One step; what is not known here is left as it is.
    fn step(&mut self, [choice, chance]: [u32; 2], rate: u64, step: &mut Step) {
        let product = u64::from(choice) * self.uncovered.len() as u64;
        let element = self.uncovered[(product >> 32) as usize];
        let candidates = self.cover.candidates_of(element);
        let rest = product % (1 << 32);
        let candidate = candidates[((rest * candidates.len() as u64) >> 32) as usize];
        let owners = self.owners(candidate);
        let threshold = match owners.len() {
            0 | 1 => 1 << 32,
            2 => rate,
            3 => (rate * rate) >> 32,
            _ => unreachable!("one of four is uncovered"),
        };
        step.chance = chance;
        step.owners = owners.len();
        step.taken = u64::from(chance) < threshold;
        step.chose_a_cell = matches!(element, Element::Cell(_));
        if let [owner] = owners[..] {
            let geometry = self.cover.geometry;
            let (old, new) = (owner.covers(geometry), candidate.covers(geometry));
            step.recoloured = owner.cell == candidate.cell;
            step.shared = old.iter().filter(|element| new.contains(element)).count();
        }
        if step.taken {
            match owners[..] {
                [] => self.insert(candidate),
                [owner] => self.replace(owner, candidate),
                _ => {
                    for owner in owners {
                        self.throw_out(owner);
                    }
                    self.insert(candidate);
                }
            }
        }
        step.solved = self.uncovered.is_empty();
    }

    /// The digit of a cell, or that it is a hole.
    fn digit(&self, cell: usize) -> u8 {
        let here = self.placed.iter().find(|one| one.cell == cell);
        here.map_or(HOLE, |one| one.digit)
    }
}

impl ColouringModel<'_> {
    /// A generation.
    pub fn pack(&mut self, packing: &Packing) {
        self.generation += 1;
        self.moves = 0;
        let cover = Cover::new(self);
        for individual in 0..self.individuals.len() {
            let colours = self.colours(&self.individuals[individual]);
            let cells = self.open.iter().copied().zip(colours);
            let mut partial = Partial::load(&cover, cells);
            self.search_packing(packing, individual, &mut partial);
            for &cell in &self.open {
                self.individuals[individual][cell] = partial.digit(cell);
            }
        }
        self.evaluate();
    }

    fn search_packing(&mut self, packing: &Packing, individual: usize, partial: &mut Partial<'_>) {
        let generation = self.generation;
        let rate = temperature(packing.rates, packing.period, generation, individual);
        for draw in 1..=packing.draws {
            let words = self.draw(individual, Site::Step, draw);
            for (at, pair) in [[words[0], words[1]], [words[2], words[3]]]
                .into_iter()
                .enumerate()
            {
                if partial.uncovered.is_empty() {
                    return;
                }
                let mut step = Step {
                    generation,
                    individual,
                    draw,
                    first: at == 0,
                    chance: 0,
                    owners: 0,
                    taken: false,
                    chose_a_cell: false,
                    recoloured: false,
                    shared: 0,
                    solved: false,
                };
                partial.step(pair, rate, &mut step);
                self.moves += 1;
                self.steps.0.push(step);
            }
        }
    }
}
