//! Seeds as people give them, and new ones.

use std::io;

use rand::TryRng;
use rand::rngs::SysRng;

/// Reads a seed: 64 bits, as an unsigned integer or as the signed one that readers of datasets make of
/// it that have no unsigned integers.
///
/// # Errors
/// If it is none.
pub fn parse_seed(text: &str) -> Result<u64, String> {
    let signed = || text.parse().map(i64::cast_unsigned);
    text.parse().or_else(|_| signed()).map_err(|_| {
        let (least, greatest) = (i64::MIN, u64::MAX);
        format!("expected an integer from {least} to {greatest}")
    })
}

/// A seed from the system's entropy, below 2^63: every reader gives it back as it is.
///
/// # Errors
/// If the system has none.
pub fn new_seed() -> io::Result<u64> {
    Ok(SysRng.try_next_u64()? >> 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_is_64_bits_with_a_sign_or_without() {
        let read = [
            ("0", 0),
            ("18446744073709551615", u64::MAX),
            ("-1", u64::MAX),
            ("-9223372036854775808", 1 << 63),
            ("9223372036854775808", 1 << 63),
            ("-5", 18_446_744_073_709_551_611),
        ];
        for (text, seed) in read {
            assert_eq!(parse_seed(text), Ok(seed), "{text}");
        }
        for text in ["18446744073709551616", "-9223372036854775809", "1.5", "", "0x1", "--1"] {
            let fault = parse_seed(text).unwrap_err();
            assert_eq!(
                fault,
                "expected an integer from -9223372036854775808 to 18446744073709551615"
            );
        }
    }

    #[test]
    fn new_seeds_fit_signed_integers() {
        let seeds: Vec<u64> = (0..64).map(|_| new_seed().unwrap()).collect();
        assert!(seeds.iter().all(|&seed| i64::try_from(seed).is_ok()));
        assert!(seeds.iter().any(|&seed| seed >= 1 << 62), "{seeds:?}");
    }
}
