"""Memory of the arrays: views by numpy, PyTorch and JAX, and copies."""

from typing import Any

import numpy as np
import pytest
from timesteps import ARRAYS, arrays

import darkqi


def addresses(ts: darkqi.TimeStep) -> dict[str, int]:
    """Return the addresses of the arrays."""
    return {name: array.ctypes.data for name, array in arrays(ts).items()}


def test_arrays_stay_where_they_are(game: str) -> None:
    env = darkqi.make(game, 6, groups=2, final_observation=True)
    everything = addresses(env.reset())
    parts = [{}, {}]  # type: list[dict[str, int]]
    for _ in range(3):
        for part in parts:
            ts = env.recv()
            assert addresses(ts) == (part or addresses(ts))
            part.update(addresses(ts))
            env.send(env.sample_actions())
        env.wait()
        assert addresses(env.step(env.sample_actions())) == everything


def test_arrays_begin_where_jax_can_use_them(game: str) -> None:
    for lanes in (1, 3, 700):
        ts = darkqi.make(game, lanes, observation="tokens", final_observation=True).reset()
        assert {name: place % 64 for name, place in addresses(ts).items()} == dict.fromkeys(
            ARRAYS, 0
        )
    env = darkqi.make(game, 128, groups=2, observation="tokens")
    env.reset()
    for _ in range(2):
        assert not any(place % 64 for place in addresses(env.recv()).values())
        env.send(env.sample_actions())


def test_views_show_the_next_step() -> None:
    env = darkqi.make("jieqi", 4)
    ts = env.reset()
    view, mask = ts.observation.reshape(4, -1), ts.action_mask.view(np.uint8)
    player, before = np.from_dlpack(ts.current_player), view.copy()
    assert player.tolist() == [0] * 4
    env.step(env.sample_actions())
    assert player.tolist() == [1] * 4
    assert not np.array_equal(view, before)
    assert np.array_equal(mask, ts.action_mask)
    assert np.shares_memory(mask, ts.action_mask)
    for array in arrays(ts).values():
        assert array.flags.writeable
        assert array.flags.c_contiguous
        assert array.flags.aligned


def test_the_memory_cannot_be_moved() -> None:
    ts = darkqi.make("jieqi", 4, groups=2).reset()
    for array in arrays(ts).values():
        base: Any = array
        while base is not None:
            with pytest.raises(ValueError, match="resize"):
                base.resize(1)
            base = base.base


def test_copies_do_not_change() -> None:
    env = darkqi.make("jieqi", 4)
    kept = env.reset().copy()
    before = {name: array.tobytes() for name, array in arrays(kept).items()}
    ts = env.step(env.sample_actions())
    assert {name: array.tobytes() for name, array in arrays(kept).items()} == before
    assert ts.observation.tobytes() != before["observation"]
    kept.observation[:] = 0
    assert ts.observation.any()


def test_make_can_ask_for_copies() -> None:
    env, shared = (darkqi.make("gaiqi", 4, copy=copy) for copy in (True, False))
    kept, expected = [env.reset()], [shared.reset().copy()]
    for _ in range(5):
        actions = shared.sample_actions()
        kept.append(env.step(actions))
        expected.append(shared.step(actions).copy())
    for one, other in zip(kept, expected, strict=True):
        for name, array in arrays(one).items():
            assert np.array_equal(array, getattr(other, name)), name
    assert len({ts.observation.ctypes.data for ts in kept}) == len(kept)


def test_torch_shares_the_memory() -> None:
    torch = pytest.importorskip("torch")
    env = darkqi.make("jieqi", 4, final_observation=True)
    ts = env.reset()
    for convert in (torch.from_numpy, torch.from_dlpack, torch.as_tensor):
        for name, array in arrays(ts).items():
            tensor = convert(array)
            assert tensor.data_ptr() == array.ctypes.data, name
            assert tensor.shape == array.shape
            assert str(tensor.dtype) == f"torch.{array.dtype}"
    observation, mask = torch.from_dlpack(ts.observation), torch.from_dlpack(ts.action_mask)
    raw = torch.from_dlpack(ts.action_mask.view(np.uint8))
    before = observation.clone()
    env.step(env.sample_actions())
    assert not torch.equal(observation, before)
    assert np.array_equal(observation.numpy(), ts.observation)
    assert np.array_equal(mask.numpy(), ts.action_mask)
    assert torch.equal(raw.bool(), mask)


def test_jax_shares_the_memory() -> None:
    jax = pytest.importorskip("jax")
    env = darkqi.make("jieqi", 128, groups=2, final_observation=True)
    steps = [env.reset()]
    for _ in range(2):
        steps.append(env.recv())
        env.send(env.sample_actions())
    env.wait()
    for ts in steps:
        for name, array in arrays(ts).items():
            view = jax.dlpack.from_dlpack(array)
            assert view.unsafe_buffer_pointer() == array.ctypes.data, name
            assert view.shape == array.shape
            assert view.dtype == array.dtype
    observation = jax.dlpack.from_dlpack(steps[0].observation)
    copy = jax.numpy.array(steps[0].observation, copy=True)
    before = steps[0].observation.copy()
    env.step(env.sample_actions())
    # JAX assumes immutable arrays, but these are views: both libraries see the new step.
    assert np.array_equal(np.asarray(observation), steps[0].observation)
    assert not np.array_equal(np.asarray(observation), before)
    assert np.array_equal(np.asarray(copy), before)
