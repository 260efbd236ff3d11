//! Numbers of a flow that the macro writes as bytes: rustc takes longer to compile a list of them than to evaluate this.

/// `COUNT` numbers of four bytes, the lowest first.
pub const fn numbers_from_bytes<const COUNT: usize>(bytes: &[u8]) -> [usize; COUNT] {
    let mut numbers = [0; COUNT];
    let (mut number, mut rest) = (0, bytes);
    while let [a, b, c, d, others @ ..] = rest {
        numbers[number] =
            *a as usize | (*b as usize) << 8 | (*c as usize) << 16 | (*d as usize) << 24;
        (number, rest) = (number + 1, others);
    }
    numbers
}

/// The items in `COUNT` parts, one after another, of these lengths.
pub const fn split_by_lengths<T, const COUNT: usize>(
    mut items: &[T],
    lengths: [usize; COUNT],
) -> [&[T]; COUNT] {
    let mut parts: [&[T]; COUNT] = [&[]; COUNT];
    let mut part = 0;
    while part < COUNT {
        // Most are of one item, and `split_at` makes many calls, each of which slows constant evaluation.
        match (lengths[part], items) {
            (1, [item, rest @ ..]) => (parts[part], items) = (std::slice::from_ref(item), rest),
            (length, _) => (parts[part], items) = items.split_at(length),
        }
        part += 1;
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::{numbers_from_bytes, split_by_lengths};

    #[test]
    fn numbers_are_read_lowest_byte_first() {
        let numbers = numbers_from_bytes(&[1, 0, 0, 0, 4, 3, 2, 1]);
        assert_eq!(numbers, [1, 0x0102_0304]);
    }

    #[test]
    fn items_are_split_by_lengths() {
        let parts: [&[usize]; 4] = split_by_lengths(&[4, 5, 6, 7], [2, 0, 1, 1]);
        assert_eq!(parts, [&[4, 5][..], &[], &[6], &[7]]);
    }
}
