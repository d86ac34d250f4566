"""Memory of the arrays: what stays as it is, and views by numpy, PyTorch and JAX."""

import contextlib
import gc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from common import ARRAYS, arrays

import darkqi


def addresses(ts: darkqi.TimeStep) -> dict[str, int]:
    return {name: array.ctypes.data for name, array in arrays(ts).items()}


def contents(ts: darkqi.TimeStep) -> dict[str, bytes]:
    """Returns the bytes of the arrays that have a meaning in every lane."""
    return {name: array.tobytes() for name, array in arrays(ts).items() if "final" not in name}


# What a caller may keep of an array.
KEPT: dict[str, Callable[[Any], Any]] = {
    "array": lambda array: array,
    "view": lambda array: array[1:],
    "view of a view": lambda array: array[1:].reshape(-1)[:1],
    "buffer": memoryview,
    "capsule": np.from_dlpack,
}


@pytest.mark.parametrize("kept", KEPT)
@pytest.mark.parametrize("mask", ["bool", "bits"])
def test_what_somebody_holds_is_not_written(kept: str, mask: Any) -> None:
    env = darkqi.make("jieqi", 3, seed=1, mask=mask, final_observation=True)
    held: list[tuple[str, Any, bytes]] = []
    ts = env.reset()
    for name in ARRAYS * 3:
        part = KEPT[kept](getattr(ts, name))
        held.append((name, part, np.asarray(part).tobytes()))
        del part
        ts = env.step(env.sample_actions())
        for other, part, before in held:
            assert np.asarray(part).tobytes() == before
            assert not np.shares_memory(np.asarray(part), getattr(ts, other))


def test_rows_of_groups_stay_as_they_are() -> None:
    env = darkqi.make("gaiqi", 5, seed=1, groups=2)
    kept = [env.reset()]
    before = [contents(kept[0])]
    for step in range(12):
        if step % 5 == 4:
            env.wait()
            ts = env.step(env.sample_actions())
        else:
            ts = env.recv()
        kept.append(ts)
        before.append(contents(ts))
        if step % 5 != 4:
            env.send(env.sample_actions())
        assert [contents(one) for one in kept] == before


def test_memory_that_nobody_holds_is_written_again(game: str) -> None:
    env = darkqi.make(game, 6, seed=0, groups=2, final_observation=True)
    env.reset()
    places: dict[int, set[int]] = {}
    for _ in range(12):
        ts = env.recv()
        places.setdefault(ts.lanes.start, set()).add(addresses(ts)["observation"])
        env.send(env.sample_actions())
    env.wait()
    whole = {addresses(env.step(env.sample_actions()))["observation"] for _ in range(12)}
    assert len(whole) == 2
    # The first rows of a group are part of what `reset` wrote.
    assert [len(found) for found in places.values()] == [3, 3]


def test_bytes_that_are_no_bools_are_not_read_as_bools() -> None:
    env = darkqi.make("banqi", 4, seed=0, copy=False)
    ts = env.reset()
    for _ in range(3):
        for flags in (ts.terminated, ts.truncated, ts.forfeited):
            assert set(flags.view(np.uint8).tolist()) <= {0, 1}
            flags.view(np.uint8)[:] = 7
        ts = env.step(env.sample_actions())
    ts.terminated.view(np.uint8)[:] = 7
    ts = env.reset([5, 5, 5, 5], lanes=[True, False, False, False])
    assert set(ts.terminated.view(np.uint8).tolist()) <= {0, 1}


@pytest.mark.parametrize("change", ["shape", "axes", "dtype", "flags"])
def test_arrays_in_another_form_are_not_written_again(change: str) -> None:
    env = darkqi.make("jieqi", 4, seed=1)
    plain = darkqi.make("jieqi", 4, seed=1)
    env.reset()
    plain.reset()
    for _ in range(6):
        reward = env.step(env.sample_actions()).reward
        assert (reward.shape, reward.dtype.name) == ((4, 2), "float32")
        if change == "shape":
            reward.shape = (8,)
        elif change == "axes":
            reward.shape = (2, 4)
        elif change == "dtype":
            reward.dtype = "i4"  # type: ignore[assignment, misc]
        else:
            reward.flags.writeable = False
        del reward
        plain.step(plain.sample_actions())
    assert contents(env.step(env.sample_actions())) == contents(plain.step(plain.sample_actions()))


def test_without_copies_arrays_stay_where_they_are(game: str) -> None:
    env = darkqi.make(game, 6, seed=0, groups=2, final_observation=True, copy=False)
    first = env.reset()
    everything = addresses(first)
    parts = [{}, {}]  # type: list[dict[str, int]]
    for _ in range(3):
        for part in parts:
            ts = env.recv()
            assert addresses(ts) == (part or addresses(ts))
            part.update(addresses(ts))
            env.send(env.sample_actions())
        env.wait()
        assert env.step(env.sample_actions()) is first
        assert addresses(first) == everything


def test_arrays_begin_where_jax_can_use_them(game: str) -> None:
    for lanes in (1, 3, 700):
        ts = darkqi.make(game, lanes, seed=0, observation="tokens", final_observation=True).reset()
        assert {name: place % 64 for name, place in addresses(ts).items()} == dict.fromkeys(
            ARRAYS, 0
        )
    env = darkqi.make(game, 128, seed=0, groups=2, observation="tokens")
    env.reset()
    for _ in range(2):
        assert not any(place % 64 for place in addresses(env.recv()).values())
        env.send(env.sample_actions())


def test_the_memory_cannot_be_moved() -> None:
    env = darkqi.make("jieqi", 4, seed=0, groups=2, copy=False, final_observation=True)
    for ts in (env.reset(), env.recv()):
        for array in arrays(ts).values():
            base: Any = array
            while isinstance(base, np.ndarray):
                with pytest.raises(ValueError, match="resize"):
                    base.resize((1,), refcheck=False)
                base = base.base
            # Nor does what is behind the last array lead to one that owns the memory.
            assert memoryview(base).obj is base
            assert gc.get_referents(base) in ([], [type(base)])
    env.reset()
    for _ in range(100):
        env.step(env.sample_actions())


def test_memory_that_was_replaced_is_not_written_again() -> None:
    env = darkqi.make("jieqi", 4, seed=0, groups=2)
    env.reset()
    for _ in range(20):
        ts = env.recv()
        env.send(env.sample_actions())
        with contextlib.suppress(AttributeError, DeprecationWarning):
            reward: Any = ts.reward
            reward.data = np.zeros(reward.shape, np.float32).data
    env.wait()
    assert env.recv().reward.shape == (2, 2)


def test_torch_shares_the_memory() -> None:
    torch = pytest.importorskip("torch")
    env = darkqi.make("jieqi", 4, seed=0, final_observation=True, copy=False)
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
    env = darkqi.make("jieqi", 128, seed=0, groups=2, final_observation=True, copy=False)
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


def test_functions_that_jax_compiled_read_rows_that_stay() -> None:
    jax = pytest.importorskip("jax")
    env = darkqi.make("jieqi", 256, seed=1)
    total = jax.jit(lambda rows: (rows.astype(float) ** 2).sum((1, 2, 3)))
    ts = env.reset()
    later, expected = [], []
    for _ in range(8):
        # Computed asynchronously: the next step must not write what is still being read.
        later.append(total(ts.observation))
        expected.append((ts.observation.astype(np.float32) ** 2).sum((1, 2, 3)))
        ts = env.step(env.sample_actions())
    for found, wanted in zip(later, expected, strict=True):
        assert np.array_equal(np.asarray(found), wanted)
