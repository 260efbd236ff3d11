//! Numbers of a flow that the macro writes as bytes: a list of them would take rustc longer for each number than its
//! evaluation does.

/// `COUNT` numbers of four bytes, the lowest first.
pub const fn numbers<const COUNT: usize>(bytes: &[u8]) -> [usize; COUNT] {
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
pub const fn split<T, const COUNT: usize>(
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
    use super::{numbers, split};

    #[test]
    fn numbers_and_parts_are_those_that_the_bytes_say() {
        assert_eq!(numbers::<2>(&[1, 0, 0, 0, 2, 1, 0, 0]), [1, 258]);
        let parts: [&[usize]; 3] = split(&[4, 5, 6], [2, 0, 1]);
        assert_eq!(parts, [&[4, 5][..], &[], &[6]]);
    }
}
