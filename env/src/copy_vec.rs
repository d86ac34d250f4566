//! Short lists within a state.

use std::fmt::{Debug, Formatter, Result};
use std::ops::{Deref, DerefMut};

/// A list of at most `CAPACITY` items, copied in one piece with the state that holds it: searches clone a
/// state for each action, and a copy as long as the list takes longer than one of a known length.
#[derive(Clone, Copy)]
pub struct CopyVec<T, const CAPACITY: usize> {
    /// The list, then items without meaning.
    items: [T; CAPACITY],
    len: u16,
}

impl<T: Copy, const CAPACITY: usize> CopyVec<T, CAPACITY> {
    /// An empty list. Its memory is filled with an item, whichever.
    pub(crate) const fn new(item: T) -> Self {
        Self { items: [item; CAPACITY], len: 0 }
    }

    /// Adds an item at the end.
    ///
    /// # Panics
    /// If the list is full.
    #[inline]
    pub(crate) fn push(&mut self, item: T) {
        self.items[usize::from(self.len)] = item;
        self.len += 1;
    }

    /// Removes all items.
    #[inline]
    pub(crate) fn clear(&mut self) {
        self.len = 0;
    }

    /// Whether there is no room for another item.
    #[inline]
    pub(crate) fn is_full(&self) -> bool {
        self.len() == CAPACITY
    }
}

impl<T, const CAPACITY: usize> Deref for CopyVec<T, CAPACITY> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        &self.items[..usize::from(self.len)]
    }
}

impl<T, const CAPACITY: usize> DerefMut for CopyVec<T, CAPACITY> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.items[..usize::from(self.len)]
    }
}

impl<T: PartialEq, const CAPACITY: usize> PartialEq for CopyVec<T, CAPACITY> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: Eq, const CAPACITY: usize> Eq for CopyVec<T, CAPACITY> {}

impl<T: Debug, const CAPACITY: usize> Debug for CopyVec<T, CAPACITY> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> Result {
        (**self).fmt(formatter)
    }
}
