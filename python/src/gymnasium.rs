//! What Gymnasium's vector environments return: time steps in the form of `darkqi.gymnasium`.

use numpy::ndarray::{ArrayView, IxDyn};
use numpy::{PyArray, PyArray1, PyArrayMethods, PyUntypedArrayMethods, dtype, get_array_module};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::not_copied;
use crate::time_step::TimeStep;

/// Adds an info and its mask of games, `_name`, as Gymnasium's own vector environments do.
macro_rules! add_info {
    ($infos:expr, $name:literal, $values:expr, $games:expr) => {{
        let py = $infos.py();
        $infos.set_item(intern!(py, $name), $values)?;
        $infos.set_item(intern!(py, concat!("_", $name)), PyArray1::from_slice(py, $games))
    }};
}

/// Observations, rewards, terminations, truncations and infos.
type Step<'py> = (
    Bound<'py, PyAny>,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyAny>,
    Bound<'py, PyAny>,
    Bound<'py, PyDict>,
);

/// Makes observations, rewards and infos of time steps, and remembers whose turn it was.
#[pyclass(module = "darkqi._darkqi")]
pub(crate) struct GymnasiumResults {
    /// The seat of each lane's last observation. A copy: arrays that were returned belong to the
    /// caller, who may write into them.
    seats: Vec<i8>,
    mask_in_info: bool,
    same_step: bool,
    /// The mask of an info that all games have.
    every: Vec<bool>,
}

#[pymethods]
impl GymnasiumResults {
    #[new]
    fn new(lanes: usize, mask_in_info: bool, same_step: bool) -> Self {
        Self { seats: vec![0; lanes], mask_in_info, same_step, every: vec![true; lanes] }
    }

    /// The seat of a lane's last observation.
    fn seat(&self, lane: usize) -> i8 {
        self.seats[lane]
    }

    /// Observations and infos of what `Env.reset` has just returned.
    fn reset<'py>(
        &mut self,
        time_step: &Bound<'py, TimeStep>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyDict>)> {
        self.remember_seats(time_step)?;
        Ok((self.observations(time_step)?, self.infos(time_step)?))
    }

    /// Observations, rewards, terminations, truncations and infos of what `Env.step` has just
    /// returned.
    fn step<'py>(&mut self, time_step: &Bound<'py, TimeStep>) -> PyResult<Step<'py>> {
        let (py, rows) = (time_step.py(), time_step.get());
        let (terminated, truncated) = (rows.terminated.bind(py), rows.truncated.bind(py));
        let ended = {
            let (terminated, truncated) = (terminated.try_readonly()?, truncated.try_readonly()?);
            let flags = terminated.as_slice()?.iter().zip(truncated.as_slice()?);
            let ended =
                flags.enumerate().filter(|(_, (terminated, truncated))| **terminated | **truncated);
            ended.map(|(lane, _)| lane).collect::<Vec<_>>()
        };
        let rewards = PyArray1::zeros(py, self.seats.len(), false);
        let infos = self.infos(time_step)?;
        if !ended.is_empty() {
            self.write_rewards(time_step, &ended, &rewards)?;
            let last = if self.same_step {
                self.move_final(time_step, &ended, &infos)?
            } else {
                infos.clone()
            };
            // An illegal action ends its game.
            let forfeited = rows.forfeited.bind(py);
            let flags = forfeited.try_readonly()?;
            let flags = flags.as_slice()?;
            if ended.iter().any(|&lane| flags[lane]) {
                add_info!(last, "illegal_action", forfeited, flags)?;
            }
        }
        self.remember_seats(time_step)?;
        let observations = self.observations(time_step)?;
        let flags = [terminated, truncated].map(|flags| flags.clone().into_any());
        let [terminated, truncated] = flags;
        Ok((observations, rewards, terminated, truncated, infos))
    }

    fn __reduce__(&self) -> PyResult<()> {
        let instead = "they belong to games in progress; make the environment where it is needed, with \
                       the same arguments and seed";
        Err(not_copied("the results of a vector environment", instead))
    }
}

impl GymnasiumResults {
    fn remember_seats(&mut self, time_step: &Bound<'_, TimeStep>) -> PyResult<()> {
        let players = time_step.get().current_player.bind(time_step.py()).try_readonly()?;
        self.seats.copy_from_slice(players.as_slice()?);
        Ok(())
    }

    fn observations<'py>(&self, time_step: &Bound<'py, TimeStep>) -> PyResult<Bound<'py, PyAny>> {
        let (py, rows) = (time_step.py(), time_step.get());
        let observation = rows.observation.bind(py).clone().into_any();
        if self.mask_in_info {
            return Ok(observation);
        }
        let observations = PyDict::new(py);
        observations.set_item(intern!(py, "action_mask"), int8_masks(time_step)?)?;
        observations.set_item(intern!(py, "observation"), observation)?;
        Ok(observations.into_any())
    }

    fn infos<'py>(&self, time_step: &Bound<'py, TimeStep>) -> PyResult<Bound<'py, PyDict>> {
        let (py, rows) = (time_step.py(), time_step.get());
        let infos = PyDict::new(py);
        add_info!(infos, "current_player", &rows.current_player, &self.every)?;
        add_info!(infos, "rewards", &rows.reward, &self.every)?;
        if self.mask_in_info {
            add_info!(infos, "action_mask", int8_masks(time_step)?, &self.every)?;
        }
        Ok(infos)
    }

    /// Writes the rewards of those who chose the last actions of games that have ended.
    fn write_rewards(
        &self,
        time_step: &Bound<'_, TimeStep>,
        ended: &[usize],
        rewards: &Bound<'_, PyArray1<f64>>,
    ) -> PyResult<()> {
        let of_seats = time_step.get().reward.bind(time_step.py());
        let (players, of_seats) = (of_seats.shape()[1], of_seats.try_readonly()?);
        let (of_seats, mut rewards) = (of_seats.as_slice()?, rewards.try_readwrite()?);
        let rewards = rewards.as_slice_mut()?;
        for &lane in ended {
            rewards[lane] = f64::from(of_seats[lane * players + self.seats[lane] as usize]);
        }
        Ok(())
    }

    /// Moves the rewards and last observations of games that have ended into `final_*` infos, and
    /// returns `final_info`.
    fn move_final<'py>(
        &self,
        time_step: &Bound<'py, TimeStep>,
        ended: &[usize],
        infos: &Bound<'py, PyDict>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (py, rows) = (time_step.py(), time_step.get());
        let mut games = vec![false; self.seats.len()];
        for &lane in ended {
            games[lane] = true;
        }
        let last_players = rows.final_player.as_ref().expect("same_step asks for it").bind(py);
        let last_players = last_players.try_readonly()?;
        let last_players = last_players.as_slice()?;
        let players = PyArray1::<i8>::zeros(py, self.seats.len(), false);
        {
            let mut players = players.try_readwrite()?;
            let players = players.as_slice_mut()?;
            for &lane in ended {
                players[lane] = last_players[lane];
            }
        }
        let final_info = PyDict::new(py);
        add_info!(final_info, "current_player", players, &games)?;
        add_info!(final_info, "rewards", &rows.reward, &games)?;
        if self.mask_in_info {
            let masks = PyArray::<i8, _>::zeros(py, rows.mask.bind(py).dims(), false);
            add_info!(final_info, "action_mask", masks, &games)?;
        }
        // Only ended games have rewards; the other rows are of the games dealt since.
        let reward = rows.reward.bind(py);
        infos
            .set_item(intern!(py, "rewards"), PyArray::<f32, _>::zeros(py, reward.dims(), false))?;
        add_info!(infos, "final_obs", self.final_observations(time_step, ended)?, &games)?;
        add_info!(infos, "final_info", &final_info, &games)?;
        Ok(final_info)
    }

    /// The last observations of games that have ended, and None for others.
    fn final_observations<'py>(
        &self,
        time_step: &Bound<'py, TimeStep>,
        ended: &[usize],
    ) -> PyResult<Bound<'py, PyAny>> {
        let (py, rows) = (time_step.py(), time_step.get());
        let observations = rows.final_observation.as_ref().expect("same_step asks for it").bind(py);
        let shape = IxDyn(&observations.shape()[1..]);
        let observations = observations.try_readonly()?;
        let observations = observations.as_slice()?;
        let size = observations.len() / self.seats.len();
        let actions = rows.mask.bind(py).shape()[1];
        let arguments = (self.seats.len(), dtype::<Py<PyAny>>(py));
        let last = get_array_module(py)?.call_method1(intern!(py, "empty"), arguments)?;
        for &lane in ended {
            let row = &observations[lane * size..][..size];
            let row = ArrayView::from_shape(shape.clone(), row).expect("a row has this shape");
            let row = PyArray::from_array(py, &row);
            if self.mask_in_info {
                last.set_item(lane, row)?;
                continue;
            }
            let observation = PyDict::new(py);
            let mask = PyArray1::<i8>::zeros(py, actions, false);
            observation.set_item(intern!(py, "action_mask"), mask)?;
            observation.set_item(intern!(py, "observation"), row)?;
            last.set_item(lane, observation)?;
        }
        Ok(last)
    }
}

/// The masks as int8, which Gymnasium's spaces of bits have: the same memory.
fn int8_masks<'py>(time_step: &Bound<'py, TimeStep>) -> PyResult<Bound<'py, PyAny>> {
    let py = time_step.py();
    let masks = time_step.get().mask.bind(py);
    masks.call_method1(intern!(py, "view"), (dtype::<i8>(py),))
}
