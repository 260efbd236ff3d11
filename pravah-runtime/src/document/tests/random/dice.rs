//! Numbers that depend on a seed alone.

/// Draws one number after another.
pub(super) struct Dice(u64);

impl Dice {
    pub(super) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below `sides`.
    pub(super) fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mixed(self.0) % sides
    }

    pub(super) fn below(&mut self, sides: usize) -> usize {
        usize::try_from(self.roll(sides as u64)).unwrap()
    }

    /// Whether something happens that does so `part` times out of `of`.
    pub(super) fn is(&mut self, part: u64, of: u64) -> bool {
        self.roll(of) < part
    }

    pub(super) fn one_of<'a, T>(&mut self, of: &'a [T]) -> Option<&'a T> {
        match of.len() {
            0 => None,
            len => of.get(self.below(len)),
        }
    }

    pub(super) fn shuffle<T>(&mut self, list: &mut [T]) {
        for last in (1..list.len()).rev() {
            list.swap(last, self.below(last + 1));
        }
    }
}

/// A number for a text.
pub(super) fn of_text(seed: u64, text: &str) -> u64 {
    let bytes = text.bytes().map(u64::from);
    mixed(bytes.fold(seed, |hash, byte| mixed(hash ^ byte)))
}

/// The last steps of `SplitMix64`.
const fn mixed(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}
