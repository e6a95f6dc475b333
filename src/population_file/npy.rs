//! NumPy's `.npy` files, as far as populations and fitness need them (NEP 1, versions 1 to 3).
//!
//! ```text
//! | \x93NUMPY | major minor | length of header | {'descr': '|u1', 'fortran_order': False, 'shape': (2, 9, 9), } \n | data
//! ```

use crate::problem::Geometry;
use crate::problem::sudoku::format::shortened;

const MAGIC: &[u8] = b"\x93NUMPY";

/// Headers are this many bytes at the most: more is something else.
const MOST: usize = 1 << 16;

/// Data begin at multiples of this.
const ALIGNMENT: usize = 64;

/// Whether a file begins as one of these does.
pub fn is_npy(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// The digits of grids, uint8 of shape (pop, N, N) or (pop, N * N). Says what is wrong if they are something else.
pub fn read_grids(bytes: &[u8], geometry: Geometry) -> Result<Vec<u8>, String> {
    let cut_short = || "the .npy file is cut short".to_owned();
    let at = |range| bytes.get(range).ok_or_else(cut_short);
    let (length, begin) = match at(6..7)?[0] {
        1 => {
            let length = at(8..10)?;
            (usize::from(u16::from_le_bytes([length[0], length[1]])), 10)
        }
        2 | 3 => {
            let length = at(8..12)?;
            let length = u32::from_le_bytes([length[0], length[1], length[2], length[3]]);
            (length as usize, 12)
        }
        version => return Err(format!("version {version} of .npy files is not known")),
    };
    if length > MOST {
        return Err("the header of the .npy file is too long".to_owned());
    }
    let header = at(begin..begin + length)?;
    let header =
        std::str::from_utf8(header).map_err(|_| "the .npy file has no header".to_owned())?;
    let data = &bytes[begin + length..];
    let value = |key: &str| {
        let after = header.split(&format!("'{key}':")).nth(1);
        after
            .map(str::trim_start)
            .ok_or_else(|| format!("the .npy file does not tell its {key}"))
    };
    let kind = value("descr")?.split('\'').nth(1).unwrap_or_default();
    if !matches!(kind, "|u1" | "<u1" | "=u1" | "u1") {
        return Err(format!(
            "the .npy file has elements of type {:?}: expected uint8, as population.astype(numpy.uint8) makes them",
            shortened(kind)
        ));
    }
    if !value("fortran_order")?.starts_with("False") {
        let order = "the .npy file is in Fortran's order: expected C's, as numpy.ascontiguousarray makes it";
        return Err(order.to_owned());
    }
    let shape = value("shape")?
        .strip_prefix('(')
        .and_then(|it| it.split(')').next());
    let shape = shape
        .unwrap_or_default()
        .split(',')
        .map(str::trim)
        .filter(|it| !it.is_empty());
    let shape: Option<Vec<usize>> = shape.map(|it| it.parse().ok()).collect();
    let (n, cells) = (geometry.size(), geometry.cells());
    let grids = match shape.as_deref() {
        Some(&[pop, rows, columns]) if rows == n && columns == n => pop,
        Some(&[pop, found]) if found == cells => pop,
        _ => {
            let found = value("shape")?.split(')').next().unwrap_or_default();
            return Err(format!(
                "the .npy file has the shape {}): expected (pop, {n}, {n}) for a {geometry}",
                shortened(found)
            ));
        }
    };
    match grids.checked_mul(cells) {
        Some(length) if length == data.len() => Ok(data.to_vec()),
        _ => Err(format!(
            "the .npy file has {} bytes of data for {grids} grids of {cells} cells",
            data.len()
        )),
    }
}

/// A file of uint32, of shape (length,).
pub fn write_u32(values: &[u32]) -> Vec<u8> {
    let header = format!(
        "{{'descr': '<u4', 'fortran_order': False, 'shape': ({},), }}",
        values.len()
    );
    file(&header, bytemuck::cast_slice(values))
}

/// A file with that header and these data.
fn file(header: &str, data: &[u8]) -> Vec<u8> {
    const HEAD: usize = MAGIC.len() + 4;
    let length = (HEAD + header.len() + 1).next_multiple_of(ALIGNMENT) - HEAD;
    let mut bytes = [MAGIC, &[1, 0], &(length as u16).to_le_bytes()].concat();
    bytes.extend_from_slice(format!("{header:<width$}\n", width = length - 1).as_bytes());
    bytes.extend_from_slice(data);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grids(header: &str, data: &[u8]) -> Result<Vec<u8>, String> {
        read_grids(&file(header, data), Geometry::usual(4).unwrap())
    }

    #[test]
    fn grids_are_read_in_either_shape() {
        let data: Vec<u8> = (0..32).map(|it| it % 4 + 1).collect();
        for shape in ["(2, 4, 4)", "(2, 16)"] {
            let header = format!("{{'descr': '|u1', 'fortran_order': False, 'shape': {shape}, }}");
            assert_eq!(grids(&header, &data).unwrap(), data);
        }
    }

    #[test]
    fn what_would_be_misread_is_refused() {
        let header = |kind, order, shape: &str| {
            format!("{{'descr': '{kind}', 'fortran_order': {order}, 'shape': {shape}, }}")
        };
        for (header, length, sentence) in [
            (header("<i8", "False", "(2, 4, 4)"), 256, "expected uint8"),
            (header("|u1", "True", "(2, 4, 4)"), 32, "Fortran"),
            (
                header("|u1", "False", "(4, 4)"),
                16,
                "(4, 4): expected (pop, 4, 4)",
            ),
            (
                header("|u1", "False", "(3, 4, 4)"),
                32,
                "32 bytes of data for 3 grids",
            ),
            (
                header("|u1", "False", "(99999999999999999999, 4, 4)"),
                32,
                "expected (pop, 4, 4)",
            ),
            ("{}".to_owned(), 0, "does not tell its descr"),
        ] {
            let refused = grids(&header, &vec![1; length]).unwrap_err();
            assert!(refused.contains(sentence), "{refused}");
        }
        let whole = file(&header("|u1", "False", "(1, 4, 4)"), &[1; 16]);
        for end in MAGIC.len()..whole.len() {
            assert!(read_grids(&whole[..end], Geometry::usual(4).unwrap()).is_err());
        }
    }

    #[test]
    fn fitness_is_written_as_numpy_reads_it() {
        let bytes = write_u32(&[7, 1 << 20]);
        assert_eq!(bytes.len(), ALIGNMENT * 2 + 8);
        assert_eq!(bytes[..8], *b"\x93NUMPY\x01\x00");
        assert_eq!(bytes[ALIGNMENT * 2 - 1], b'\n');
        assert_eq!(bytes[ALIGNMENT * 2..], [7, 0, 0, 0, 0, 0, 16, 0]);
    }
}
