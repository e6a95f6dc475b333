//! Rows of figures: made, written, read, compared.

use std::fmt::Write as _;

use crate::emulate::Metered;

/// A change of instructions by more than this is pointed out.
const NOTABLE: f64 = 0.02;

/// The columns of a stored row, tab by tab.
const HEADING: &str = "work\tchosen\tbits\twave\tvgprs\tsgprs\tspilled\tscratch\tlds bytes\twaves per simd\tcode\tunit\tunits\twaves\t\
                       instructions\tvector\tvector passes\tlanes\tscalar\tbranches\tscalar loads\tlds\tmemory\tlines\t\
                       serial cycles";

/// The figures of a kernel.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Kernel, problem and mapping.
    pub work: String,
    /// Whether `auto` chooses this mapping.
    pub chosen: bool,
    /// Whether the native engine makes the same bits.
    pub right: bool,
    /// Lanes of a wave, registers, spilled registers, bytes of scratch and workgroup memory, waves of a SIMD,
    /// instructions of code.
    pub compiled: [u64; 8],
    /// What figures are for.
    pub unit: String,
    /// How many there were.
    pub units: u64,
    /// How many waves did the work.
    pub waves: u64,
    /// Sums: see the heading.
    pub sums: [u64; 11],
}

impl Row {
    /// The row of a launch.
    pub fn new(
        work: String,
        chosen: bool,
        right: bool,
        it: &Metered,
        unit: &str,
        units: u64,
    ) -> Self {
        let statistic = |name: &str| it.compiled.statistic(name);
        let totals = it.counts.totals(&it.program, it.compiled.wave);
        Self {
            work,
            chosen,
            right,
            compiled: [
                it.compiled.wave as u64,
                statistic("VGPRs"),
                statistic("SGPRs"),
                statistic("Spilled VGPRs") + statistic("Spilled SGPRs"),
                statistic("Scratch size"),
                statistic("LDS size"),
                statistic("Subgroups per SIMD"),
                statistic("Instructions"),
            ],
            unit: unit.to_owned(),
            units,
            waves: it.waves,
            sums: [
                totals.instructions,
                totals.vector,
                totals.vector_passes,
                totals.lanes,
                totals.scalar,
                totals.branches,
                totals.scalar_loads,
                totals.lds,
                totals.memory,
                totals.lines,
                totals.serial_cycles,
            ],
        }
    }

    /// Wave instructions of a unit.
    pub fn instructions(&self) -> f64 {
        self.each(0)
    }

    fn each(&self, sum: usize) -> f64 {
        self.sums[sum] as f64 / self.units.max(1) as f64
    }

    /// Why this row must not be; nothing if it may. Only mappings that `auto` chooses are judged.
    pub fn failure(&self) -> Option<&'static str> {
        let [_, _, _, spilled, scratch, ..] = self.compiled;
        match self.chosen {
            true if !self.right => Some("WRONG BITS"),
            true if spilled > 0 => Some("SPILLS"),
            true if scratch > 0 => Some("SCRATCH"),
            _ => None,
        }
    }

    fn text(&self) -> String {
        let yes = |it: bool| if it { "yes" } else { "no" };
        let mut text = format!("{}\t{}\t{}", self.work, yes(self.chosen), yes(self.right));
        for figure in self.compiled {
            let _ = write!(text, "\t{figure}");
        }
        let _ = write!(text, "\t{}\t{}\t{}", self.unit, self.units, self.waves);
        for sum in self.sums {
            let _ = write!(text, "\t{sum}");
        }
        text
    }

    fn parse(line: &str) -> Option<Self> {
        let mut fields = line.split('\t');
        let work = fields.next()?.to_owned();
        let mut flag = || match fields.next()? {
            "yes" => Some(true),
            "no" => Some(false),
            _ => None,
        };
        let (chosen, right) = (flag()?, flag()?);
        let mut compiled = [0; 8];
        for figure in &mut compiled {
            *figure = fields.next()?.parse().ok()?;
        }
        let unit = fields.next()?.to_owned();
        let units = fields.next()?.parse().ok()?;
        let waves = fields.next()?.parse().ok()?;
        let mut sums = [0; 11];
        for sum in &mut sums {
            *sum = fields.next()?.parse().ok()?;
        }
        let row = Self {
            work,
            chosen,
            right,
            compiled,
            unit,
            units,
            waves,
            sums,
        };
        fields.next().is_none().then_some(row)
    }
}

/// Rows, and what they depend on besides the kernels.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// Versions of Mesa and naga.
    pub conditions: String,
    /// Its rows.
    pub rows: Vec<Row>,
}

impl Table {
    /// Reads what [`Table::text`] has written.
    pub fn parse(text: &str) -> Option<Self> {
        let mut lines = text.lines();
        let conditions = lines.next()?.strip_prefix("# ")?.to_owned();
        lines.next().filter(|line| *line == HEADING)?;
        let rows = lines.map(Row::parse).collect::<Option<_>>()?;
        Some(Self { conditions, rows })
    }

    /// All rows, to be stored.
    pub fn text(&self) -> String {
        let mut text = format!("# {}\n{HEADING}\n", self.conditions);
        for row in &self.rows {
            let _ = writeln!(text, "{}", row.text());
        }
        text
    }

    /// The rows for people, beside stored ones; and how many of them must not be.
    pub fn compare(&self, stored: Option<&Self>) -> (String, usize) {
        let comparable = stored.is_some_and(|stored| stored.conditions == self.conditions);
        let mut text = format!("{}; * is what auto chooses\n", self.conditions);
        let _ = writeln!(
            text,
            "{:<48}{:>5}{:>6}{:>8}{:>8}{:>4}{:>6}{:>12}{:>11}{:>11}{:>6}{:>9}{:>9}{:>8}{:>8}{:>10}{:>9}",
            "work",
            "wave",
            "vgprs",
            "spilled",
            "scratch",
            "occ",
            "code",
            "instr.",
            "passes",
            "scalar",
            "lanes",
            "lds",
            "memory",
            "lines",
            "cycles",
            "stored",
            "change"
        );
        let mut failures = 0;
        for row in &self.rows {
            let [wave, vgprs, _, spilled, scratch, _, occupancy, code] = row.compiled;
            let known = stored.and_then(|stored| stored.rows.iter().find(|it| it.work == row.work));
            let known = known.filter(|known| known.units == row.units && known.unit == row.unit);
            let (was, change) = match known {
                None => ("-".to_owned(), None),
                Some(known) => {
                    let change = row.instructions() / known.instructions() - 1.0;
                    (format!("{:.1}", known.instructions()), Some(change))
                }
            };
            let verdict = match (row.failure(), change) {
                (Some(failure), _) => failure,
                _ if !row.right => "wrong bits",
                (_, Some(change)) if comparable && change > NOTABLE => "REGRESSION",
                (_, Some(change)) if comparable && change < -NOTABLE => "IMPROVED: store it",
                (_, None) if comparable => "new: store it",
                _ => "",
            };
            failures += usize::from(row.failure().is_some());
            let change = change.map_or(String::new(), |change| format!("{:+.1} %", 100.0 * change));
            let lanes = row.sums[3] as f64 / row.sums[1].max(1) as f64;
            let name = format!("{}{}", if row.chosen { "* " } else { "  " }, row.work);
            let line = format!(
                "{name:<48}{wave:>5}{vgprs:>6}{spilled:>8}{scratch:>8}{occupancy:>4}{code:>6}{:>12.1}{:>11.1}{:>11.1}{lanes:>6.1}{:>9.1}{:>9.2}{:>8.1}{:>8.0}{was:>10}{change:>9}  {verdict}",
                row.instructions(),
                row.each(2),
                row.each(4),
                row.each(7),
                row.each(8),
                row.each(9),
                row.each(10),
            );
            let _ = writeln!(text, "{}", line.trim_end());
        }
        if let Some(stored) = stored.filter(|_| !comparable) {
            let _ = writeln!(
                text,
                "not judged: the stored figures are of {}",
                stored.conditions
            );
        }
        (text, failures)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(work: &str, instructions: u64) -> Row {
        Row {
            work: work.to_owned(),
            chosen: true,
            right: true,
            compiled: [64, 24, 128, 0, 0, 512, 16, 400],
            unit: "individual".to_owned(),
            units: 64,
            waves: 64,
            sums: [instructions, 9, 9, 90, 4, 3, 2, 1, 1, 1, 700],
        }
    }

    fn table(instructions: u64) -> Table {
        Table {
            conditions: "Mesa 1, naga 2".to_owned(),
            rows: vec![row("evaluate/9x9/thread", instructions)],
        }
    }

    #[test]
    fn tables_are_read_as_they_were_written() {
        let table = table(6400);
        assert_eq!(Table::parse(&table.text()), Some(table.clone()));
        assert_eq!(
            Table::parse(&table.text().replace("\tyes", "\tperhaps")),
            None
        );
        assert_eq!(Table::parse("work\n"), None);
    }

    #[test]
    fn changes_are_named_if_versions_are_equal() {
        let verdict = |now: u64, stored: &Table| table(now).compare(Some(stored)).0;
        let stored = table(6400);
        assert!(verdict(6600, &stored).contains("REGRESSION"));
        assert!(verdict(6200, &stored).contains("IMPROVED"));
        let same = verdict(6410, &stored);
        assert!(!same.contains("REGRESSION") && !same.contains("IMPROVED"));
        let other = Table {
            conditions: "Mesa 2, naga 2".to_owned(),
            ..stored
        };
        let unjudged = verdict(6600, &other);
        assert!(!unjudged.contains("REGRESSION") && unjudged.contains("not judged"));
    }

    #[test]
    fn spills_scratch_and_wrong_bits_fail_where_auto_goes() {
        let good = row("a", 1);
        let mut spilled = good.clone();
        spilled.compiled[3] = 2;
        let mut scratch = good.clone();
        scratch.compiled[4] = 1024;
        let wrong = Row {
            right: false,
            ..good.clone()
        };
        let elsewhere = Row {
            chosen: false,
            ..spilled.clone()
        };
        let rows = vec![good, spilled, scratch, wrong, elsewhere];
        let failures: Vec<_> = rows.iter().map(Row::failure).collect();
        let expected = [
            None,
            Some("SPILLS"),
            Some("SCRATCH"),
            Some("WRONG BITS"),
            None,
        ];
        assert_eq!(failures, expected);
        let table = Table { rows, ..table(1) };
        assert_eq!(table.compare(None).1, 3);
    }
}
