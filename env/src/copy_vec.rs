//! Short lists within a state.

use std::ops::{Deref, DerefMut};

use arrayvec::ArrayVec;

/// An [`ArrayVec`] that is cloned in one piece: `ArrayVec` clones element by element, which is a tenth
/// of the time of searches, since they clone a state for each action.
#[derive(PartialEq, Eq, Debug)]
pub struct CopyVec<T: Copy, const CAPACITY: usize>(ArrayVec<T, CAPACITY>);

impl<T: Copy, const CAPACITY: usize> CopyVec<T, CAPACITY> {
    /// An empty list.
    pub(crate) const fn new() -> Self {
        Self(ArrayVec::new_const())
    }
}

impl<T: Copy, const CAPACITY: usize> Clone for CopyVec<T, CAPACITY> {
    #[inline]
    fn clone(&self) -> Self {
        let mut copy = ArrayVec::new();
        copy.try_extend_from_slice(&self.0).expect("the capacity is the same");
        Self(copy)
    }
}

impl<T: Copy, const CAPACITY: usize> Deref for CopyVec<T, CAPACITY> {
    type Target = ArrayVec<T, CAPACITY>;

    #[inline]
    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl<T: Copy, const CAPACITY: usize> DerefMut for CopyVec<T, CAPACITY> {
    #[inline]
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}
