//! Tables for the eye: columns as wide as their widest cell.

/// Rows of cells under a head. The first columns, as many as `words`, are words and begin at the left; the
/// others are numbers and end at the right.
pub struct Table {
    words: usize,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with a head.
    pub fn new<const COLUMNS: usize>(words: usize, head: [&str; COLUMNS]) -> Self {
        Self {
            words,
            rows: vec![head.map(str::to_owned).to_vec()],
        }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }
}

impl std::fmt::Display for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        for (at, row) in self.rows.iter().enumerate() {
            let mut line = String::new();
            for (column, cell) in row.iter().enumerate() {
                let width = widths[column];
                line.push_str(&match column < self.words {
                    true => format!("{cell:<width$}  "),
                    false => format!("{cell:>width$}  "),
                });
            }
            let end = if at + 1 < self.rows.len() { "\n" } else { "" };
            write!(f, "{}{end}", line.trim_end())?;
        }
        Ok(())
    }
}

/// A number with three digits that matter, or as many as it has before the point.
pub fn number(value: f64) -> String {
    match value.abs() {
        _ if value.is_infinite() => "never".to_owned(),
        0.0 => "0".to_owned(),
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        size if size >= 1.0 => format!("{value:.2}"),
        size if size >= 0.001 => format!("{value:.3}"),
        _ => format!("{value:.1e}"),
    }
}

/// A probability.
pub fn probability(p: f64) -> String {
    match p {
        p if p >= 0.001 => format!("{p:.3}"),
        p => format!("{p:.0e}"),
    }
}
