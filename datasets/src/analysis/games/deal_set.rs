//! A set of deals, to check that the games of each are adjacent. Cluster-robust errors are valid
//! only if no deal is split.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::analysis::{Error, Result};

/// A set of deal numbers, stored as intervals. Memory grows with the number of gaps only.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(in crate::analysis) struct DealSet {
    /// The first and the last number of each interval.
    runs: BTreeMap<u64, u64>,
}

impl DealSet {
    /// Adds a deal whose games start now.
    ///
    /// # Errors
    /// [`Error::SplitDeal`] if it is in the set already.
    pub(in crate::analysis) fn begin(&mut self, deal: u64) -> Result<()> {
        self.add(deal, deal)
    }

    /// Adds the deals of another part of the dataset.
    ///
    /// # Errors
    /// [`Error::SplitDeal`] if one is in the set already.
    pub(in crate::analysis) fn merge(&mut self, other: &Self) -> Result<()> {
        other.runs.iter().try_for_each(|(&first, &last)| self.add(first, last))
    }

    fn add(&mut self, mut first: u64, mut last: u64) -> Result<()> {
        if let Some((&start, &end)) = self.runs.range(..=last).next_back() {
            if end >= first {
                return Err(Error::SplitDeal { pair_id: start.max(first) });
            }
            if end + 1 == first {
                self.runs.remove(&start);
                first = start;
            }
        }
        if let Some(end) = last.checked_add(1).and_then(|next| self.runs.remove(&next)) {
            last = end;
        }
        self.runs.insert(first, last);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::DealSet;

    #[test]
    fn a_deal_is_accepted_once() {
        let mut deals = DealSet::default();
        for deal in [5, 3, 4, 0, u64::MAX, 7] {
            deals.begin(deal).expect("it is new");
        }
        assert_eq!(deals.runs.len(), 4);
        for deal in [5, 3, 4, 0, u64::MAX, 7] {
            let found = deals.begin(deal).expect_err("it is a repetition").to_string();
            assert!(found.starts_with(&format!("deal {deal}: ")), "{found}");
        }
        let mut others = DealSet::default();
        for deal in [1, 2, 6, 8] {
            others.begin(deal).expect("it is new");
        }
        deals.merge(&others).expect("they are new");
        assert_eq!(deals.runs.len(), 2);
        assert!(deals.merge(&others).is_err());
        let mut around = DealSet::default();
        around.add(9, 20).expect("they are new");
        around.merge(&deals).expect("they are new");
        assert!(around.add(0, u64::MAX).is_err());
    }
}
