//! The time steps of an env: of all lanes together, and of each group.

use std::ops::Range;

use pyo3::prelude::*;

use crate::rotation::Rotation;
use crate::time_step::{RowShapes, TimeStep};

/// Where the next rows are written, and which were written last.
pub(crate) struct EnvRows {
    all: Rotation,
    groups: Vec<GroupRows>,
}

struct GroupRows {
    lanes: Range<usize>,
    rotation: Rotation,
    /// The rows that the last call wrote; `None` before the first.
    latest: Option<Py<TimeStep>>,
}

impl EnvRows {
    /// Rows for groups of lanes. With `reused`, every call writes the same memory.
    ///
    /// # Errors
    /// `MemoryError`.
    pub(crate) fn new(
        py: Python<'_>,
        shapes: RowShapes,
        groups: &[Range<usize>],
        reused: bool,
    ) -> PyResult<Self> {
        let free = |lanes: &Range<usize>| {
            Rotation::free(RowShapes { lanes: lanes.clone(), ..shapes.clone() })
        };
        let mut all = free(&shapes.lanes);
        // Made now: it takes most of the memory.
        let first = all.next(py)?;
        let group = |lanes: &Range<usize>| -> PyResult<GroupRows> {
            let rotation = if reused {
                let rows = first.get().rows_of(py, lanes.clone())?;
                Rotation::fixed(py, Py::new(py, rows)?)
            } else {
                free(lanes)
            };
            Ok(GroupRows { lanes: lanes.clone(), rotation, latest: None })
        };
        let groups = groups.iter().map(group).collect::<PyResult<_>>()?;
        Ok(Self { all: if reused { Rotation::fixed(py, first) } else { all }, groups })
    }

    /// Writes rows of all lanes and shows them. With `keep`, they have the results of the last rows
    /// before they are written.
    ///
    /// # Errors
    /// Those of `write`, or `MemoryError`. The last rows are still shown then.
    pub(crate) fn write_all(
        &mut self,
        py: Python<'_>,
        keep: bool,
        write: impl FnOnce(&TimeStep) -> PyResult<()>,
    ) -> PyResult<Py<TimeStep>> {
        let time_step = self.all.next(py)?;
        if keep {
            for latest in self.groups.iter().filter_map(|group| group.latest.as_ref()) {
                time_step.get().copy_results(py, latest.get())?;
            }
        }
        // Made before: what fails must fail while nothing has changed.
        let is_only = self.groups.len() == 1;
        let shown = self.groups.iter().map(|group| match &group.rotation {
            Rotation::Fixed(slot) => Ok(slot.time_step().clone_ref(py)),
            Rotation::Free { .. } if is_only => Ok(time_step.clone_ref(py)),
            Rotation::Free { .. } => Py::new(py, time_step.get().rows_of(py, group.lanes.clone())?),
        });
        let shown = shown.collect::<PyResult<Vec<_>>>()?;
        write(time_step.get())?;
        for (group, rows) in self.groups.iter_mut().zip(shown) {
            group.latest = Some(rows);
        }
        Ok(time_step)
    }

    /// The rows of a group that the last call wrote.
    ///
    /// # Panics
    /// If nothing was written yet.
    pub(crate) fn latest(&self, py: Python<'_>, group: usize) -> Py<TimeStep> {
        self.groups[group].latest.as_ref().expect("rows have been written").clone_ref(py)
    }

    /// The rows that the next step of a group writes.
    ///
    /// # Errors
    /// `MemoryError`.
    pub(crate) fn next(&mut self, py: Python<'_>, group: usize) -> PyResult<Py<TimeStep>> {
        self.groups[group].rotation.next(py)
    }

    /// Shows rows that a step of a group writes, once it is done.
    pub(crate) fn show(&mut self, group: usize, rows: Py<TimeStep>) {
        self.groups[group].latest = Some(rows);
    }
}
