"""Pgx: batches compiled by JAX for the CPU."""

import os
from collections.abc import Callable, Iterator
from typing import Any

from contender import Contender, Missing, Tally, until

# With the darkqi game of the most similar board size.
GAMES = {
    "animal_shogi": "gaiqi",
    "gardner_chess": "flipping",
    "chess": "jieqi",
    "shogi": "jieqi",
}


def contenders(lanes: list[int]) -> Iterator[Contender | Missing]:
    """Yields each game in batches of each size."""
    # Set before JAX selects a device: this comparison is of CPUs.
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    try:
        import pgx
    except ImportError:
        yield Missing("Pgx", "pgx jax")
        return
    for name, beside in GAMES.items():
        env = pgx.make(name)
        for lane_count in lanes:
            how = "jit, vmap"
            yield Contender("Pgx", name, how, lane_count, player(env, lane_count), beside)


def player(env: Any, lanes: int) -> Callable[[float], Tally]:
    """Returns a function that plays a batch; compiles everything here."""
    import jax
    import jax.numpy as jnp
    from pgx.experimental import auto_reset

    step_lane = auto_reset(env.step, env.init)

    def step_batch(state: Any, key: Any, games: Any) -> Any:
        key, sample, chance = jax.random.split(key, 3)
        # One random rank per lane is cheaper than a random number per action.
        ranks = jnp.cumsum(state.legal_action_mask, axis=1, dtype=jnp.int32)
        chosen = jax.random.randint(sample, (lanes, 1), 0, ranks[:, -1:])
        actions = jnp.argmax(ranks > chosen, axis=1)
        state = jax.vmap(step_lane)(state, actions, jax.random.split(chance, lanes))
        return state, key, games + jnp.sum(state.terminated | state.truncated)

    # The new state reuses the memory of the old one.
    step = jax.jit(step_batch, donate_argnums=(0, 1, 2))
    key, deal = jax.random.split(jax.random.key(0))
    state = jax.jit(jax.vmap(env.init))(jax.random.split(deal, lanes))
    now = step(state, key, jnp.zeros((), jnp.int32))
    jax.block_until_ready(now)

    def play(seconds: float) -> Tally:
        nonlocal now
        before = int(now[2])
        steps = 0
        for _ in until(seconds):
            # Dispatch is asynchronous: wait for the result.
            now = jax.block_until_ready(step(*now))
            steps += lanes
        return Tally(steps, int(now[2]) - before)

    return play
