//! Hashes of texts, and numbers that look random, at compile time.

/// A hash of a text that is put together from parts: FNV-1a with 128 bits (Internet draft
/// draft-eastlake-fnv-17).
#[derive(Clone, Copy)]
pub(super) struct Hash(u128);

impl Hash {
    pub(super) const NONE: Self = Self(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d);
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;

    #[must_use]
    pub(super) const fn and(self, text: &str) -> Self {
        self.and_bytes(text.as_bytes())
    }

    #[must_use]
    pub(super) const fn and_bytes(mut self, mut bytes: &[u8]) -> Self {
        while let [byte, rest @ ..] = bytes {
            self.0 = (self.0 ^ *byte as u128).wrapping_mul(Self::PRIME);
            bytes = rest;
        }
        self
    }

    #[must_use]
    pub(super) const fn and_number(self, number: usize) -> Self {
        let before = match number {
            0..10 => self,
            _ => self.and_number(number / 10),
        };
        before.and_bytes(&[b'0' + (number % 10) as u8])
    }

    /// Which of so many buckets it is in.
    pub(super) const fn bucket(self, count: usize) -> usize {
        (self.0 % count as u128) as usize
    }

    pub(super) const fn is(self, other: Self) -> bool {
        self.0 == other.0
    }
}

/// A number that looks random, another one for each `seed` (the finalizer of SplitMix64, twice).
pub(super) const fn mixed(seed: u64) -> u128 {
    const fn half(seed: u64) -> u128 {
        let mixed = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ mixed >> 31) as u128
    }
    // It is 0 of 0 alone, which is no seed of either half.
    half(2 * seed + 1) << 64 | half(2 * seed + 2)
}
