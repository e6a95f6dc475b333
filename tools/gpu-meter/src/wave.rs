//! A wave of RDNA2, 32 or 64 lanes, and the workgroup that it belongs to.

use crate::assembly::{EXEC, NULL, Operand, SCALARS, VCC};
use crate::count::Counts;
use crate::memory::Words;
use crate::program::{Action, Condition, Program};

/// The most lanes of a wave.
pub const LANES: usize = 64;

/// A word for every lane.
pub type Lanes = [u32; LANES];

/// More instructions than any wave should take: a loop that does not end is an error.
const MOST_STEPS: u64 = 2_000_000_000;

/// Registers and memory of a wave.
#[derive(Debug, Clone)]
pub struct Wave {
    /// 32 or 64.
    pub lanes: usize,
    /// Scalar registers; who takes part is among them.
    pub scalars: [u32; SCALARS],
    /// Vector registers.
    pub vectors: Vec<Lanes>,
    /// What scalar instructions leave behind (SCC).
    pub condition: bool,
    /// Memory of each lane: words, then lanes.
    pub scratch: Vec<Lanes>,
    /// The next instruction.
    pub next: usize,
}

/// Why a wave stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// It is at its end.
    End,
    /// It waits for the other waves of its workgroup.
    Barrier,
}

impl Wave {
    /// A wave of which so many lanes take part, with so many words of scratch memory for each.
    pub fn new(lanes: usize, active: usize, scratch: usize) -> Self {
        let mut wave = Self {
            lanes,
            scalars: [0; SCALARS],
            vectors: vec![[0; LANES]; 256],
            condition: false,
            scratch: vec![[0; LANES]; scratch],
            next: 0,
        };
        let mask = match active {
            LANES.. => u64::MAX,
            active => (1 << active) - 1,
        };
        wave.set_mask(EXEC, mask);
        wave
    }

    /// The lanes that take part.
    pub fn exec(&self) -> u64 {
        self.mask(EXEC)
    }

    /// A mask of lanes.
    pub fn mask(&self, register: usize) -> u64 {
        match self.lanes {
            LANES => self.long(Operand::Scalar(register)),
            _ => self.scalars[register].into(),
        }
    }

    /// Writes a mask of lanes.
    pub fn set_mask(&mut self, register: usize, mask: u64) {
        match self.lanes {
            LANES => self.set_long(register, mask),
            _ => self.set_scalar(register, mask as u32),
        }
    }

    /// What a scalar instruction reads.
    pub fn word(&self, operand: Operand) -> u32 {
        match operand {
            Operand::Scalar(register) => self.scalars[register],
            Operand::Literal(value) => value as u32,
            Operand::Condition => self.condition.into(),
            Operand::NoLane => (self.exec() == 0).into(),
            Operand::NoResult => (self.mask(VCC) == 0).into(),
            // Only instructions for lanes have such operands.
            Operand::Vector(register) => self.vectors[register][0],
        }
    }

    /// The same of two registers.
    pub fn long(&self, operand: Operand) -> u64 {
        match operand {
            Operand::Scalar(NULL) => 0,
            Operand::Scalar(register) => {
                u64::from(self.scalars[register + 1]) << 32 | u64::from(self.scalars[register])
            }
            Operand::Literal(value) => value as u64,
            other => self.word(other).into(),
        }
    }

    /// What every lane reads.
    pub fn read_lanes(&self, operand: Operand) -> Lanes {
        match operand {
            Operand::Vector(register) => self.vectors[register],
            other => [self.word(other); LANES],
        }
    }

    /// Writes a scalar register.
    pub fn set_scalar(&mut self, register: usize, value: u32) {
        if register != NULL {
            self.scalars[register] = value;
        }
    }

    /// Writes two of them.
    pub fn set_long(&mut self, register: usize, value: u64) {
        if register != NULL {
            self.scalars[register] = value as u32;
            self.scalars[register + 1] = (value >> 32) as u32;
        }
    }

    fn holds(&self, condition: Condition) -> bool {
        match condition {
            Condition::Scc(wanted) => self.condition == wanted,
            Condition::Exec(wanted) => (self.exec() != 0) == wanted,
            Condition::Vcc(wanted) => (self.mask(VCC) != 0) == wanted,
        }
    }

    /// Runs to the next barrier, or to the end.
    pub fn run(
        &mut self,
        program: &Program,
        lds: &mut [u32],
        memory: &mut Words,
        counts: &mut Counts,
    ) -> Result<Stop, String> {
        let mut steps = 0;
        loop {
            let at = self.next;
            let Some(instruction) = program.instructions.get(at) else {
                return Err("the program has no end".to_owned());
            };
            counts.issue(at, self.exec());
            self.next += 1;
            let located = |error: String| program.error(at, &error);
            match &instruction.action {
                Action::Scalar(scalar) => scalar.execute(self),
                Action::Vector(vector) => vector.execute(self),
                Action::Lds(access) => access.execute(self, lds).map_err(located)?,
                Action::Load(load) => load.execute(self, memory).map_err(located)?,
                Action::Buffer(access) => {
                    let lines = access.execute(self, memory).map_err(located)?;
                    counts.touch(lines);
                }
                Action::Scratch(access) => access.execute(self).map_err(located)?,
                Action::Jump(target) => self.next = *target,
                Action::JumpIf(condition, target) => {
                    if self.holds(*condition) {
                        self.next = *target;
                    }
                }
                Action::ReadAddress(to) => {
                    let next = program.address(at + 1);
                    self.set_long(*to, next.into());
                }
                Action::JumpTo(register) => {
                    let address = self.scalars[*register];
                    self.next = program.at_address(address).map_err(located)?;
                }
                Action::Barrier => return Ok(Stop::Barrier),
                Action::End => return Ok(Stop::End),
                Action::Nothing => {}
                Action::Undecoded => {
                    return Err(
                        program.error(at, "the disassembler does not know this instruction")
                    );
                }
            }
            steps += 1;
            if steps > MOST_STEPS {
                return Err(program.error(at, "the wave does not come to an end"));
            }
        }
    }
}

/// Runs the waves of a workgroup in turn, from barrier to barrier.
pub fn run_workgroup(
    waves: &mut [Wave],
    program: &Program,
    lds: &mut [u32],
    memory: &mut Words,
    counts: &mut Counts,
) -> Result<(), String> {
    loop {
        let mut stops = Vec::new();
        for wave in waves.iter_mut() {
            stops.push(wave.run(program, lds, memory, counts)?);
        }
        match stops.iter().all(|&stop| stop == Stop::End) {
            true => return Ok(()),
            false if stops.contains(&Stop::End) => {
                return Err("some waves of a workgroup wait for others that have ended".to_owned());
            }
            false => {}
        }
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::program::Program;

    /// A wave in which everybody takes part.
    pub fn wave(lanes: usize) -> Wave {
        Wave::new(lanes, lanes, 0)
    }

    /// Carries instructions out, without memory.
    pub fn run(wave: &mut Wave, text: &str) {
        let program = Program::parse(&format!("{text}\ns_endpgm")).unwrap();
        let mut counts = Counts::new(&program);
        wave.next = 0;
        let stop = wave.run(&program, &mut [], &mut Vec::new(), &mut counts);
        assert_eq!(stop, Ok(Stop::End), "{text}");
    }

    #[test]
    fn a_loop_runs_and_is_counted() {
        let text = "s_mov_b32 s0, 5\nBB1:\nv_add_nc_u32_e32 v1, s0, v1\ns_sub_u32 s0, s0, 1\n\
                    s_cmp_lg_u32 s0, 0\ns_cbranch_scc1 BB1\ns_endpgm";
        let program = Program::parse(text).unwrap();
        let mut counts = Counts::new(&program);
        let mut wave = Wave::new(64, 3, 0);
        wave.run(&program, &mut [], &mut Vec::new(), &mut counts)
            .unwrap();
        assert_eq!(wave.vectors[1][..4], [15, 15, 15, 0]);
        let totals = counts.totals(&program, 64);
        assert_eq!((totals.instructions, totals.vector), (21, 5));
        assert_eq!((totals.vector_passes, totals.active_lanes()), (5, 3.0));
    }

    #[test]
    fn what_was_not_decoded_must_not_be_reached() {
        let run = |text: &str| {
            let program = Program::parse(text).unwrap();
            let mut counts = Counts::new(&program);
            wave(64).run(&program, &mut [], &mut Vec::new(), &mut counts)
        };
        assert_eq!(
            run("s_endpgm\nexp mrt5 off, off, off, off ; 00000007"),
            Ok(Stop::End)
        );
        assert!(run("(invalid instruction) ; 00000007\ns_endpgm").is_err());
    }

    #[test]
    fn far_jumps_go_to_addresses() {
        let text = "s_getpc_b64 s[0:1] ; be801f00\ns_add_u32 s0, s0, 12 ; 80008c00\n\
                    s_setpc_b64 s[0:1] ; be802000\ns_mov_b32 s5, 1 ; be850381\n\
                    s_mov_b32 s6, 1 ; be860381\ns_endpgm ; bf810000";
        let mut it = wave(64);
        run(&mut it, text);
        assert_eq!((it.scalars[5], it.scalars[6]), (0, 1));
    }

    #[test]
    fn waves_of_a_workgroup_meet_at_barriers() {
        let text = "ds_write_b32 v0, v1\ns_barrier\nds_read_b32 v3, v2\ns_endpgm";
        let program = Program::parse(text).unwrap();
        let mut counts = Counts::new(&program);
        let mut waves = vec![wave(32), wave(32)];
        for (number, wave) in (0..).zip(&mut waves) {
            for lane in 0..32 {
                let id = 32 * number + lane;
                wave.vectors[0][lane as usize] = 4 * id;
                wave.vectors[1][lane as usize] = 7 * id;
                wave.vectors[2][lane as usize] = 4 * (63 - id);
            }
        }
        let mut lds = [0; 64];
        run_workgroup(&mut waves, &program, &mut lds, &mut Vec::new(), &mut counts).unwrap();
        assert_eq!(waves[0].vectors[3][0], 7 * 63);
        assert_eq!(waves[1].vectors[3][31], 0);
    }
}
