//! Memory for games and rows, in huge pages where the system has them: a step reads all of it, and
//! thousands of lanes lie on more small pages than the TLB holds.

#![allow(unsafe_code, reason = "advice to the system on memory")]

use std::collections::TryReserveError;

use crate::error::BatchError;

/// Zeros in huge pages, for rows.
pub fn zeroed<T: Clone + Default>(elements: usize) -> Vec<T> {
    let elements = vec![T::default(); elements];
    ask_for_huge_pages(&elements);
    elements
}

/// An element for each lane, in huge pages.
///
/// # Errors
/// If there is no memory: a mistyped number of lanes must not abort the process.
pub(super) fn of_lanes<T>(
    lanes: usize,
    mut element: impl FnMut(usize) -> Result<T, TryReserveError>,
) -> Result<Vec<T>, BatchError> {
    let no_memory = |_| BatchError::Memory(lanes);
    let mut vector = Vec::new();
    vector.try_reserve_exact(lanes).map_err(no_memory)?;
    ask_for_huge_pages(vector.spare_capacity_mut());
    for lane in 0..lanes {
        vector.push(element(lane).map_err(no_memory)?);
    }
    Ok(vector)
}

/// Asks for huge pages where memory spans some, as numpy does for its arrays.
#[cfg(all(target_os = "linux", not(miri)))]
fn ask_for_huge_pages<T>(memory: &[T]) {
    use rustix::mm::{Advice, madvise};

    /// The pages of every system that Linux runs on are this large, or a part of it. Asking the system
    /// for its own would read what valgrind does not show.
    const PAGE: usize = 1 << 16;
    /// Half a huge page of most systems: less is not worth a call.
    const FEW_BYTES: usize = 1 << 20;
    let before = memory.as_ptr().addr().wrapping_neg() % PAGE;
    let length = size_of_val(memory).saturating_sub(before) / PAGE * PAGE;
    if length < FEW_BYTES {
        return;
    }
    // SAFETY: the pages lie within the memory, and the advice does not change their content. A system
    // without huge pages refuses it, which does no harm.
    let _ = unsafe {
        let pages = memory.as_ptr().byte_add(before);
        madvise(pages.cast_mut().cast(), length, Advice::LinuxHugepage)
    };
}

/// Other systems have no such call.
#[cfg(not(all(target_os = "linux", not(miri))))]
fn ask_for_huge_pages<T>(_: &[T]) {}

#[cfg(all(test, target_os = "linux", not(miri)))]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::zeroed;

    /// The kernel's flags of the mapping that contains a byte.
    fn flags(address: usize) -> Option<String> {
        let maps = fs::read_to_string("/proc/self/smaps").ok()?;
        let holds = |line: &&str| {
            let range = line.split(' ').next().and_then(|range| range.split_once('-'));
            let number = |text| usize::from_str_radix(text, 16);
            let range = range.and_then(|(start, end)| number(start).ok().zip(number(end).ok()));
            range.is_some_and(|(start, end)| (start..end).contains(&address))
        };
        let mapping = maps.lines().skip_while(|line| !holds(line));
        mapping.skip(1).find_map(|line| line.strip_prefix("VmFlags:")).map(str::to_owned)
    }

    #[test]
    fn long_rows_ask_for_huge_pages() {
        let bytes: Vec<u8> = zeroed(8 << 20);
        assert!(bytes.iter().all(|&byte| byte == 0));
        if !Path::new("/sys/kernel/mm/transparent_hugepage").exists() {
            return;
        }
        let Some(flags) = flags(bytes[4 << 20..].as_ptr().addr()) else { return };
        assert!(flags.split_whitespace().any(|flag| flag == "hg"), "{flags}");
    }
}
