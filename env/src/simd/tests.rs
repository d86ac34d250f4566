#[cfg(target_arch = "x86_64")]
use super::x86_64_v3;
use super::{
    LINE, Line, bits_to_bytes, count_ones, lines, one_hot, pext, pext_pair, portable, select,
    store_fence, stream, stream_bits_to_bytes, word_at,
};

/// All triples of some words, from empty to full.
fn sets() -> impl Iterator<Item = [u64; 3]> {
    let words = [0, 1, 1 << 63, 0x8421, u64::MAX, 0x0F0F_1234_5678_9ABC, !1];
    (0..words.len().pow(3)).map(move |mut number| {
        std::array::from_fn(|_| {
            let word = words[number % words.len()];
            number /= words.len();
            word
        })
    })
}

fn members(set: &[u64]) -> Vec<usize> {
    (0..64 * set.len()).filter(|&place| set[place / 64] >> (place % 64) & 1 == 1).collect()
}

/// The bytes of a set, from every version that this processor supports.
fn all_bytes(set: &[u64], length: usize) -> Vec<Vec<u8>> {
    let by = |write: &dyn Fn(&[u64], &mut [u8])| {
        let mut bytes = vec![9; length];
        write(set, &mut bytes);
        bytes
    };
    let mut all = vec![by(&bits_to_bytes), by(&portable::bits_to_bytes)];
    #[cfg(target_arch = "x86_64")]
    if *x86_64_v3::AVAILABLE {
        // SAFETY: the processor has the features that the function is compiled for.
        all.push(by(&|set, bytes| unsafe { x86_64_v3::bits_to_bytes(set, bytes) }));
    }
    all
}

#[test]
fn all_versions_agree_with_the_definition() {
    for set in sets() {
        let members = members(&set);
        assert_eq!(count_ones(&set) as usize, members.len());
        assert_eq!(portable::count_ones(&set) as usize, members.len());
        for rank in 0..=members.len() {
            let expected = members.get(rank).copied();
            assert_eq!(select(&set, rank as u32), expected);
            assert_eq!(portable::select(&set, rank as u32), expected);
        }
        for length in [0, 1, 31, 32, 33, 64, 65, 130, 192] {
            let expected: Vec<u8> =
                (0..length).map(|place| u8::from(members.contains(&place))).collect();
            for bytes in all_bytes(&set, length) {
                assert_eq!(bytes, expected, "{set:x?}");
            }
        }
    }
}

/// The bytes that are written over lines with other contents.
fn streamed(count: usize, write: impl FnOnce(&mut [Line])) -> Vec<u8> {
    let mut to: Vec<Line> = (0..count).map(|_| Line([0xAA; LINE])).collect();
    write(&mut to);
    store_fence();
    to.iter().flat_map(|line| line.0).collect()
}

#[test]
fn streams_are_copies() {
    let from: Vec<u8> = (0..400).map(|number| number as u8).collect();
    for start in [0, 1, 63, 64, 65] {
        for count in [0, 1, 2, 5] {
            let copied = streamed(count, |to| stream(&from[start..], to));
            assert_eq!(copied, from[start..start + count * LINE]);
        }
    }
}

#[test]
fn streamed_sets_are_bytes() {
    for set in sets() {
        let members = members(&set);
        for start in [0, 1, 63, 64, 65] {
            // The third word only completes lines that start within a word.
            let count = 2 - start / 64;
            let expected: Vec<u8> = (start..start + count * LINE)
                .map(|place| u8::from(members.contains(&place)))
                .collect();
            assert_eq!(streamed(count, |to| stream_bits_to_bytes(&set, start, to)), expected);
            let (words, shift) = (&set[start / 64..], start % 64);
            assert_eq!(
                streamed(count, |to| portable::stream_bits_to_bytes(words, shift, to)),
                expected
            );
            #[cfg(target_arch = "x86_64")]
            if *x86_64_v3::AVAILABLE {
                // SAFETY: the processor has the features that the function is compiled for.
                let by_v3 =
                    |to: &mut [Line]| unsafe { x86_64_v3::stream_bits_to_bytes(words, shift, to) };
                assert_eq!(streamed(count, by_v3), expected);
            }
            let mut first = [9; LINE];
            bits_to_bytes(&[word_at(&set, start)], &mut first);
            assert_eq!(first, expected[..LINE]);
        }
    }
    assert_eq!(word_at(&[1, 1], 64), 1);
    assert_eq!(word_at(&[1, 1], 65), 0);
    assert_eq!(word_at(&[1, 1], 200), 0);
}

#[test]
fn values_are_encoded_one_hot() {
    for count in [1, 25, 31, 32, 33, 56, 64, 90, 361] {
        let values: Vec<u8> = (0..count).map(|place| (place * place % 13) as u8).collect();
        for planes in [0, 1, 14] {
            let expected: Vec<u8> = (1..=planes)
                .flat_map(|value| values.iter().map(move |&here| u8::from(here == value)))
                .collect();
            let (mut fast, mut slow) = (vec![9; expected.len()], vec![9; expected.len()]);
            one_hot(&values, &mut fast);
            portable::one_hot(&values, &mut slow);
            assert_eq!(fast, expected);
            assert_eq!(slow, expected);
        }
    }
}

#[test]
#[should_panic(expected = "amid a line")]
fn lines_are_whole() {
    lines(&mut [0; 100]);
}

#[test]
fn both_versions_of_pext_agree() {
    for [set, mask, _] in sets() {
        let is_in_set = |&(_, &member): &(usize, &usize)| set >> member & 1 == 1;
        let expected = members(&[mask])
            .iter()
            .enumerate()
            .filter(is_in_set)
            .fold(0, |bits, (place, _)| bits | 1 << place);
        assert_eq!(pext(set, mask), expected, "{set:x} {mask:x}");
        assert_eq!(portable::pext(set, mask), expected, "{set:x} {mask:x}");
    }
    for [low, high, mask] in sets() {
        let (set, masks) = ([low, high], [mask >> 1, mask.rotate_left(7)]);
        let first = masks[0].count_ones();
        if first + masks[1].count_ones() <= u64::BITS {
            let parts = [pext(low, masks[0]), pext(high, masks[1])];
            let expected = parts[0] | parts[1] << first;
            assert_eq!(pext_pair(set, masks, first as u8), expected);
            assert_eq!(portable::pext_pair(set, masks, first as u8), expected);
        }
    }
}
