//! Texts put together at compile time in a fixed buffer: names of generic states, messages.

/// A text of at most `CAPACITY` bytes that grows in a `const fn`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ConstStr<const CAPACITY: usize = 512> {
    bytes: [u8; CAPACITY],
    len: usize,
}

impl<const CAPACITY: usize> ConstStr<CAPACITY> {
    /// The parts one after another; what does not fit is cut at a character boundary.
    pub(crate) const fn concat(parts: &[&str]) -> Self {
        let mut text = Self {
            bytes: [0; CAPACITY],
            len: 0,
        };
        let mut i = 0;
        while i < parts.len() {
            text = text.push(parts[i]);
            i += 1;
        }
        text
    }

    /// Appends a number in decimal digits.
    #[must_use]
    pub(crate) const fn push_number(self, number: usize) -> Self {
        const DIGITS: &str = "0123456789";
        let rest = if number >= 10 {
            self.push_number(number / 10)
        } else {
            self
        };
        rest.push(DIGITS.split_at(number % 10).1.split_at(1).0)
    }

    /// Appends `part`, or as much of it as fits.
    #[must_use]
    pub(crate) const fn push(mut self, part: &str) -> Self {
        let part = part.as_bytes();
        let mut end = part.len();
        if end > CAPACITY - self.len {
            end = CAPACITY - self.len;
            while end > 0 && part[end] & 0b1100_0000 == 0b1000_0000 {
                end -= 1;
            }
        }
        let mut i = 0;
        while i < end {
            self.bytes[self.len] = part[i];
            self.len += 1;
            i += 1;
        }
        self
    }

    /// The text.
    pub(crate) const fn as_str(&self) -> &str {
        match std::str::from_utf8(self.bytes.split_at(self.len).0) {
            Ok(text) => text,
            Err(_) => "",
        }
    }
}

/// Whether two texts are the same, at compile time. Constant evaluation is slow at each step of a loop, and at each
/// call, so that eight bytes are compared at once: of a text that is long enough the last eight, too.
pub(crate) const fn same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let (mut rest, mut other) = (a, b);
    while let [a0, a1, a2, a3, a4, a5, a6, a7, a_rest @ ..] = rest
        && let [b0, b1, b2, b3, b4, b5, b6, b7, b_rest @ ..] = other
    {
        let first = (*a0 ^ *b0) | (*a1 ^ *b1) | (*a2 ^ *b2) | (*a3 ^ *b3);
        if first | (*a4 ^ *b4) | (*a5 ^ *b5) | (*a6 ^ *b6) | (*a7 ^ *b7) != 0 {
            return false;
        }
        (rest, other) = (a_rest, b_rest);
    }
    if let [.., a0, a1, a2, a3, a4, a5, a6, a7] = a
        && let [.., b0, b1, b2, b3, b4, b5, b6, b7] = b
    {
        let first = (*a0 ^ *b0) | (*a1 ^ *b1) | (*a2 ^ *b2) | (*a3 ^ *b3);
        return first | (*a4 ^ *b4) | (*a5 ^ *b5) | (*a6 ^ *b6) | (*a7 ^ *b7) == 0;
    }
    while let [a_first, a_rest @ ..] = rest
        && let [b_first, b_rest @ ..] = other
    {
        if *a_first != *b_first {
            return false;
        }
        (rest, other) = (a_rest, b_rest);
    }
    true
}
