"""JAX steps a batch by callbacks in compiled loops, as docs/libraries.md says."""

from typing import Any

import numpy as np
import pytest

pytest.importorskip("jax", reason="scripts/test-learning.sh installs it")

import jax
import jax.numpy as jnp
from jax.experimental import io_callback

import darkqi


def scanned(env: darkqi.Env, plies: int) -> Any:
    ts = env.reset()

    def step(actions: Any) -> Any:
        ts = env.step(np.asarray(actions))
        return ts.observation, ts.action_mask, ts.reward

    results = jax.tree.map(
        lambda array: jax.ShapeDtypeStruct(array.shape, array.dtype),
        (ts.observation, ts.action_mask, ts.reward),
    )

    def ply(mask: Any, key: Any) -> Any:
        actions = jax.random.categorical(key, jnp.where(mask, 0.0, -jnp.inf))
        observation, following, reward = io_callback(step, results, actions, ordered=True)
        return following, (actions, observation, reward)

    return jax.jit(lambda mask, key: jax.lax.scan(ply, mask, jax.random.split(key, plies)))


# With many lanes callbacks of earlier versions of JAX got stuck.
@pytest.mark.parametrize("lanes", [64, 2048])
def test_a_scan_plays_the_games_of_a_loop(lanes: int) -> None:
    env, loop = (
        darkqi.make("flipping", lanes, seed=5, observation="tokens", max_plies=60) for _ in range(2)
    )
    rollout = scanned(env, 60)
    ts, rewarded = loop.reset(seed=6), 0
    mask = env.reset(seed=6).action_mask
    # The second call continues the games of the first.
    for key in (0, 1):
        mask, (actions, observations, rewards) = rollout(mask, jax.random.key(key))
        for ply, row in enumerate(np.asarray(actions)):
            ts = loop.step(row)
            assert np.array_equal(observations[ply], ts.observation)
            assert np.array_equal(rewards[ply], ts.reward)
        assert np.array_equal(mask, ts.action_mask)
        rewarded += int(np.count_nonzero(rewards))
    assert rewarded > 0


def test_illegal_actions_stop_a_compiled_step() -> None:
    env = darkqi.make("jieqi", 2, seed=1)
    env.reset()

    def step(actions: Any) -> Any:
        return env.step(np.asarray(actions)).reward

    result = jax.ShapeDtypeStruct((2, 2), np.float32)
    compiled = jax.jit(lambda actions: io_callback(step, result, actions, ordered=True))
    with pytest.raises(jax.errors.JaxRuntimeError, match=r"lane 0: a1b1 \(action 0\) is not legal"):
        jax.block_until_ready(compiled(jnp.zeros(2, int)))
    assert [env.state(lane).ply for lane in (0, 1)] == [0, 0]


def test_steps_cannot_be_mapped() -> None:
    result = jax.ShapeDtypeStruct((), np.float32)
    mapped = jax.vmap(lambda action: io_callback(lambda _: 0.0, result, action, ordered=True))
    with pytest.raises(ValueError, match="Cannot `vmap` ordered IO callback"):
        mapped(jnp.zeros(2, int))
