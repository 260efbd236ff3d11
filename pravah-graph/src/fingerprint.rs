//! Fingerprints: whether a snapshot fits a net, in 128 bits.

use std::fmt;
use std::str::FromStr;

/// Identifies the shape of a flow: its ordered transitions, the names of the states
/// they take and return, and the fingerprints of nested flows.
///
/// The same shape has the same fingerprint on every platform and in every release. It
/// is written as 32 lower-case hexadecimal digits.
///
/// It tells shapes apart that differ by accident. It is no protection against someone
/// who looks for two shapes with the same fingerprint.
///
/// ```
/// use pravah_graph::Fingerprint;
///
/// let shape = Fingerprint::builder()
///     .transition("work", ["Ticket"], ["Verdict"])
///     .transition("choice", ["Verdict"], ["Urgent", "Routine"])
///     .finish();
/// let text = shape.to_string();
/// assert_eq!(text.parse(), Ok(shape));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprint(u128);

/// Builds a [`Fingerprint`].
///
/// What is hashed is, in the order of the calls:
///
/// - for a transition the byte 1, its kind, the list of its inputs' names, the list of
///   its outputs' names;
/// - for a nested fingerprint the byte 2 and its 16 bytes, least significant first.
///
/// A text is the number of its bytes, as eight bytes, least significant first, and the
/// bytes themselves. A list is the byte 1 before each text, and the byte 0 at its end.
/// So two different sequences of calls never hash the same bytes. The hash is FNV-1a
/// with 128 bits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FingerprintBuilder(u128);

const OFFSET_BASIS: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;

const TRANSITION: u8 = 1;
const NESTED: u8 = 2;
const NEXT: u8 = 1;
const END: u8 = 0;

impl Fingerprint {
    /// Starts a fingerprint.
    #[must_use]
    pub fn builder() -> FingerprintBuilder {
        FingerprintBuilder(OFFSET_BASIS)
    }
}

impl FingerprintBuilder {
    /// Adds a transition: its kind, and the names of the states it takes and returns, each
    /// in order.
    pub fn transition<'a>(
        &mut self,
        kind: &str,
        inputs: impl IntoIterator<Item = &'a str>,
        outputs: impl IntoIterator<Item = &'a str>,
    ) -> &mut Self {
        self.bytes(&[TRANSITION]);
        self.text(kind);
        self.list(inputs);
        self.list(outputs);
        self
    }

    /// Adds the fingerprint of a flow that is inside this one.
    pub fn nested(&mut self, inner: Fingerprint) -> &mut Self {
        self.bytes(&[NESTED]);
        self.bytes(&inner.0.to_le_bytes());
        self
    }

    /// The fingerprint of what was added so far.
    #[must_use]
    pub fn finish(&self) -> Fingerprint {
        Fingerprint(self.0)
    }

    fn list<'a>(&mut self, texts: impl IntoIterator<Item = &'a str>) {
        for text in texts {
            self.bytes(&[NEXT]);
            self.text(text);
        }
        self.bytes(&[END]);
    }

    fn text(&mut self, text: &str) {
        self.bytes(&(text.len() as u64).to_le_bytes());
        self.bytes(text.as_bytes());
    }

    fn bytes(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u128::from(byte)).wrapping_mul(PRIME);
        }
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Every snapshot holds one, and `{:032x}` is slow for 128 bits.
        let mut digits = [b'0'; 32];
        let mut rest = self.0;
        for digit in digits.iter_mut().rev() {
            *digit = match u8::try_from(rest & 0xf).unwrap_or_default() {
                low @ 0..10 => b'0' + low,
                high => b'a' + high - 10,
            };
            rest >>= 4;
        }
        f.write_str(std::str::from_utf8(&digits).map_err(|_| fmt::Error)?)
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Fingerprint({self})")
    }
}

/// A text that is no [`Fingerprint`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ParseFingerprintError {
    /// It has not 32 bytes.
    Length {
        /// How many it has.
        found: usize,
    },
    /// It contains something else than the digits `0` to `9` and `a` to `f`.
    Digit {
        /// Where, counted in bytes from zero.
        at: usize,
    },
}

impl fmt::Display for ParseFingerprintError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length { found } => {
                write!(
                    f,
                    "a fingerprint has 32 hexadecimal digits, this text has {found} bytes"
                )
            }
            Self::Digit { at } => {
                write!(
                    f,
                    "not a lower-case hexadecimal digit at byte {at} of a fingerprint"
                )
            }
        }
    }
}

impl std::error::Error for ParseFingerprintError {}

impl FromStr for Fingerprint {
    type Err = ParseFingerprintError;

    /// Reads exactly what `Display` writes.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.len() != 32 {
            return Err(ParseFingerprintError::Length { found: text.len() });
        }
        let digit = |(at, byte)| match byte {
            b'0'..=b'9' => Ok(u128::from(byte - b'0')),
            b'a'..=b'f' => Ok(u128::from(byte - b'a' + 10)),
            _ => Err(ParseFingerprintError::Digit { at }),
        };
        let digits = text.bytes().enumerate().map(digit);
        let number = digits
            .into_iter()
            .try_fold(0, |number, digit| Ok(number << 4 | digit?))?;
        Ok(Self(number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flow() -> Fingerprint {
        Fingerprint::builder()
            .transition("choice", ["Verdict"], ["Urgent", "Routine"])
            .nested(Fingerprint::builder().finish())
            .finish()
    }

    #[test]
    fn a_fingerprint_never_changes() {
        assert_eq!(flow().to_string(), "9074acaef0c1739ddb08dbae6d022bbd");
    }

    #[test]
    fn the_hash_is_fnv_1a_with_128_bits() {
        let mut builder = Fingerprint::builder();
        builder.bytes(b"foobar");
        assert_eq!(
            builder.finish().to_string(),
            "343e1662793c64bf6f0d3597ba446f18"
        );
    }

    #[test]
    fn no_two_sequences_of_calls_look_alike() {
        let empty = Fingerprint::builder().finish();
        let once = Fingerprint::builder().nested(empty).finish();
        let new = Fingerprint::builder;
        let alike = [
            empty,
            once,
            new().nested(once).finish(),
            new().nested(empty).nested(empty).finish(),
            new().transition("", [], []).finish(),
            new().transition("work", ["A"], ["B"]).finish(),
            new().transition("work", ["B"], ["A"]).finish(),
            new().transition("work", ["A", "B"], []).finish(),
            new().transition("work", [], ["A", "B"]).finish(),
            new().transition("work", ["AB"], []).finish(),
            new().transition("work", ["", "AB"], []).finish(),
            new().transition("workA", ["B"], []).finish(),
            new()
                .transition("a", [], [])
                .transition("b", [], [])
                .finish(),
            new()
                .transition("b", [], [])
                .transition("a", [], [])
                .finish(),
        ];
        for (at, one) in alike.iter().enumerate() {
            assert!(
                alike.iter().skip(at + 1).all(|other| other != one),
                "number {at}"
            );
        }
    }

    #[test]
    fn a_fingerprint_reads_what_it_writes() {
        assert_eq!(flow().to_string().parse(), Ok(flow()));
        assert_eq!(format!("{:032x}", 10).parse(), Ok(Fingerprint(10)));
    }

    #[test]
    fn a_text_of_another_length_is_no_fingerprint() {
        let read = "12ab".parse::<Fingerprint>();
        assert_eq!(read, Err(ParseFingerprintError::Length { found: 4 }));
    }

    #[test]
    fn a_text_with_other_digits_is_no_fingerprint() {
        for (text, at) in [("A", 0), ("12g4", 2), ("+1", 0), ("0é", 1)] {
            let mut padded = text.to_owned();
            padded.extend(std::iter::repeat_n('0', 32 - text.len()));
            let read = padded.parse::<Fingerprint>();
            assert_eq!(read, Err(ParseFingerprintError::Digit { at }));
        }
    }
}
