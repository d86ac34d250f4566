//! The columns of plies that are needed to replay them.

use crate::format::{OpenColumn, PlyRow, PolicyEntry, RowFault, read_plies_unchecked};

/// The columns that are needed to replay a ply and to verify it against the log.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct LoggedPly {
    pub(crate) action: u16,
    pub(crate) legal_count: u16,
    pub(crate) player: i8,
    /// `None` if there are none, or their columns are not read.
    pub(crate) targets: Option<Box<LoggedTargets>>,
}

/// The columns `value` and `policy`.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct LoggedTargets {
    pub(crate) value: Option<Box<[f32]>>,
    pub(crate) policy: Option<Box<[PolicyEntry]>>,
}

impl LoggedPly {
    /// The names of these columns, with those of values and policies if `targets` are wanted.
    pub(crate) fn columns(targets: bool) -> Vec<&'static str> {
        let mut columns = vec!["game_id", "ply", "player", "action", "legal_count"];
        if targets {
            columns.extend(["value", "policy"]);
        }
        columns
    }
}

/// Reads plies from [`LoggedPly::columns`]. Whoever replays them checks them.
pub(crate) fn read_logged_plies(
    open: &mut [OpenColumn],
    rows: usize,
) -> Result<Vec<PlyRow<LoggedPly>>, RowFault> {
    let logged = |PlyRow { game_id, ply, record }: PlyRow| {
        let (value, policy) = (record.value, record.policy);
        let is_given = value.is_some() || policy.is_some();
        let record = LoggedPly {
            action: record.action,
            legal_count: record.legal_count,
            player: record.player,
            targets: is_given.then(|| Box::new(LoggedTargets { value, policy })),
        };
        PlyRow { game_id, ply, record }
    };
    Ok(read_plies_unchecked(open, rows)?.into_iter().map(logged).collect())
}
