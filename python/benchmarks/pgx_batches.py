"""Pgx: batches compiled by JAX, here for the processor."""

import os
from collections.abc import Callable, Iterator
from typing import Any

from contender import Contender, Missing, Tally, until

# With the darkqi game whose board is nearest in size.
GAMES = {
    "animal_shogi": "gaiqi",
    "gardner_chess": "flipping",
    "chess": "jieqi",
    "shogi": "jieqi",
}


def contenders(lanes: list[int]) -> Iterator[Contender | Missing]:
    """Yield each game in batches of each size."""
    # Set before JAX looks for one: this is a comparison of processors.
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
    """Return what plays in a batch; everything is compiled here."""
    import jax
    import jax.numpy as jnp
    from pgx.experimental import auto_reset

    step_lane = auto_reset(env.step, env.init)

    def step_batch(state: Any, key: Any, games: Any) -> Any:
        key, draw, chance = jax.random.split(key, 3)
        # Counting up to a random one is cheaper than a random number for every action.
        ranks = jnp.cumsum(state.legal_action_mask, axis=1, dtype=jnp.int32)
        chosen = jax.random.randint(draw, (lanes, 1), 0, ranks[:, -1:])
        actions = jnp.argmax(ranks > chosen, axis=1)
        state = jax.vmap(step_lane)(state, actions, jax.random.split(chance, lanes))
        return state, key, games + jnp.sum(state.terminated | state.truncated)

    # The old state's memory is given to the new one.
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
            # Without waiting, steps would be ordered faster than they are done.
            now = jax.block_until_ready(step(*now))
            steps += lanes
        return Tally(steps, int(now[2]) - before)

    return play
