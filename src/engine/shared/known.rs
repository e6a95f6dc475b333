//! Who is known where: shares that are told to everybody, and the state of the whole population.

use super::cut::Cut;
use super::{SharedEngine, out_of_step};
use crate::engine::snapshot::{Champion, Emigrants, Memory, SavedAuxiliary, Snapshot};
use crate::error::Error;
use crate::population::{Population, words_of};

impl SharedEngine {
    /// Has all processes tell each other their shares, unless everybody is known already.
    pub(super) fn know_everybody(&mut self) -> Result<(), Error> {
        if self.whole {
            return Ok(());
        }
        let mine = self.share_of(self.team.rank());
        let population = self.host.population();
        let each = words_of(population.form());
        let words = &population.words()[mine.start * each..mine.end * each];
        self.outgoing.clear();
        self.outgoing.extend(&population.fitness()[mine]);
        self.outgoing.extend(words);
        self.team.gather_into(&self.outgoing, &mut self.told)?;
        let told = std::mem::take(&mut self.told);
        for (rank, words) in told.each().enumerate() {
            let share = self.share_of(rank);
            if words.len() != share.len() * (1 + each) {
                return Err(out_of_step());
            }
            if rank != self.team.rank() {
                let (fitness, words) = words.split_at(share.len());
                self.host.take_in(&share, fitness, words);
            }
        }
        self.told = told;
        self.whole = true;
        Ok(())
    }

    /// Has all processes tell each other what individuals of their shares remember, and the host what those of devices
    /// do.
    async fn know_memories(&mut self) -> Result<(), Error> {
        let mine = self.workers[self.team.rank()].clone();
        let Some(memories) = self.host.memories_mut() else {
            return Ok(());
        };
        let first = mine.start + usize::from(self.host_works);
        for (at, device) in (first..).zip(&self.devices) {
            let share = self.cut.of(at);
            if let Some(known) = device.engine.memories().await? {
                memories[share.clone()].clone_from_slice(&known[share]);
            }
        }
        if self.team.is_alone() {
            return Ok(());
        }
        let genes = memories.first().map_or(0, |memory| memory.best.len());
        let mine = self.cut.of_all(mine);
        let told = self.team.gather(&words_of_memories(&memories[mine]))?;
        for (rank, words) in told.into_iter().enumerate() {
            let share = self.cut.of_all(self.workers[rank].clone());
            let each = 1 + 2 * genes;
            if words.len() != share.len() * each {
                return Err(out_of_step());
            }
            for (memory, words) in memories[share].iter_mut().zip(words.chunks_exact(each)) {
                let (best, velocity) = words[1..].split_at(genes);
                memory.fitness = words[0].checked_sub(1);
                memory.best.copy_from_slice(best);
                memory.velocity.copy_from_slice(velocity);
            }
        }
        Ok(())
    }

    /// Cuts shares at multiples of a grain, if they are not.
    pub(super) async fn cut_by(&mut self, grain: usize) -> Result<(), Error> {
        if self.cut.grain == grain {
            return Ok(());
        }
        let worth: Vec<_> = (0..self.cut.workers())
            .map(|worker| self.cut.of(worker).len() as u32)
            .collect();
        self.move_to(Cut::new(self.pop, grain, &worth)).await
    }

    /// Goes on with other shares. All processes do so at the same time.
    pub(super) async fn move_to(&mut self, cut: Cut) -> Result<(), Error> {
        let before = self.team.told();
        self.know_everybody()?;
        self.know_memories().await?;
        self.team.was_for_moves(before);
        self.know_emigrants();
        self.cut = cut;
        let memories = self.host.memories_mut();
        for device in &mut self.devices {
            device
                .engine
                .remind(memories.as_deref().map(Vec::as_slice))?;
        }
        Ok(())
    }

    /// Finds out who leaves the islands of others: it stands in the population. Everybody is known.
    fn know_emigrants(&mut self) {
        if let SavedAuxiliary::Emigrants(Emigrants { departure, .. }) = self.host.saved_auxiliary()
        {
            let best = self.best_of_islands(&(0..self.pop));
            self.host.send(Emigrants { best, departure });
        }
    }

    /// All that another engine would have to know to go on.
    pub async fn snapshot(&mut self) -> Result<Snapshot, Error> {
        self.know_everybody()?;
        self.know_memories().await?;
        self.know_emigrants();
        Ok(self.host.snapshot())
    }

    /// Goes on from there. The population is taken as it is: [`crate::engine::Engine::restore`] checks it.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<(), Error> {
        self.host.restore(snapshot);
        if let SavedAuxiliary::Emigrants(emigrants) = &snapshot.auxiliary {
            self.island = self.pop.div_ceil(emigrants.best.len());
        }
        self.forget_devices(&snapshot.auxiliary)
    }

    /// Puts another population in place of the current one.
    pub fn load(&mut self, population: &Population) -> Result<(), Error> {
        self.host.load(population);
        self.forget_devices(&SavedAuxiliary::Empty)
    }

    /// Everybody is known here, and devices know nobody.
    fn forget_devices(&mut self, auxiliary: &SavedAuxiliary) -> Result<(), Error> {
        self.whole = true;
        let memories = match auxiliary {
            SavedAuxiliary::Memories(memories) => Some(&memories[..]),
            _ => None,
        };
        for device in &mut self.devices {
            device.known = 0..0;
            device.engine.remind(memories)?;
        }
        Ok(())
    }

    /// Evaluates the current population anew.
    pub fn evaluate(&mut self) -> Result<(), Error> {
        self.know_everybody()?;
        self.host.evaluate();
        for device in &mut self.devices {
            device.known = 0..0;
        }
        Ok(())
    }

    /// Goes on as if the population were of this generation, and not solved.
    pub fn set_generation(&mut self, generation: u32) {
        self.host.set_generation(generation);
        for device in &mut self.devices {
            device.known = 0..0;
        }
    }

    /// The best individual of the run so far.
    pub fn champion(&self) -> Option<&Champion> {
        self.host.champion()
    }

    /// The current population.
    pub fn population(&mut self) -> Result<&Population, Error> {
        self.know_everybody()?;
        Ok(self.host.population())
    }
}

/// What individuals remember, in words.
fn words_of_memories(memories: &[Memory]) -> Vec<u32> {
    let mut words = Vec::new();
    for memory in memories {
        words.push(memory.fitness.map_or(0, |fitness| fitness + 1));
        words.extend(&memory.best);
        words.extend(&memory.velocity);
    }
    words
}
