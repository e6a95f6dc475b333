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
