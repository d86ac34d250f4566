"""Batches: the rows of a step, and lanes against single games."""

import hashlib
import multiprocessing
import os
from typing import Any

import numpy as np
import pytest
from timesteps import arrays

import darkqi


def test_shapes_and_dtypes(game: str) -> None:
    spec = darkqi.spec(game)
    lanes, actions = 3, spec.num_actions
    for observation, shape in (
        ("planes", spec.observation_shape),
        ("tokens", spec.token_shape),
    ):
        for mask, width, kind in (
            ("bool", actions, np.bool_),
            ("bits", (actions + 7) // 8, np.uint8),
        ):
            options: dict[str, Any] = {"observation": observation, "mask": mask}
            ts = darkqi.make(game, lanes, seed=0, final_observation=True, **options).reset()
            found = {name: (array.shape, array.dtype.type) for name, array in arrays(ts).items()}
            assert found == {
                "observation": ((lanes, *shape), np.uint8),
                "action_mask": ((lanes, width), kind),
                "current_player": ((lanes,), np.int8),
                "reward": ((lanes, spec.num_players), np.float32),
                "terminated": ((lanes,), np.bool_),
                "truncated": ((lanes,), np.bool_),
                "forfeited": ((lanes,), np.bool_),
                "final_observation": ((lanes, *shape), np.uint8),
                "final_player": ((lanes,), np.int8),
            }


def test_copies_do_not_change(game: str) -> None:
    for mask in ("bool", "bits"):
        options: dict[str, Any] = {"mask": mask, "final_observation": True}
        env = darkqi.make(game, 4, seed=0, copy=False, **options)
        ts = env.reset()
        kept = ts.copy()
        assert {name: array.tobytes() for name, array in arrays(kept).items()} == {
            name: array.tobytes() for name, array in arrays(ts).items()
        }
        assert kept.action_mask.dtype == ts.action_mask.dtype
        for name, array in arrays(kept).items():
            assert not np.shares_memory(array, getattr(ts, name))
        observation = kept.observation.tobytes()
        env.step(env.sample_actions())
        assert kept.observation.tobytes() == observation


def test_the_arrays_outlive_the_env() -> None:
    ts = darkqi.make("jieqi", 2, seed=0).reset()
    assert ts.action_mask.sum(axis=1).tolist() == [44, 44]


@pytest.mark.parametrize("options", [{}, {"max_plies": 37}], ids=["default", "short"])
def test_lanes_are_single_games(game: str, options: dict[str, Any]) -> None:
    lanes = 5
    env = darkqi.make(game, lanes, seed=11, final_observation=True, **options)
    ts = env.reset()
    singles = [darkqi.State(game, seed=seed, **options) for seed in env.seeds]
    endings = 0
    for _ in range(400):
        actions = env.sample_actions()
        ts = env.step(actions)
        for lane, action in enumerate(actions):
            single = singles[lane]
            single.apply(action)
            assert ts.truncated[lane] == single.is_truncated
            assert ts.terminated[lane] == (single.is_terminal and not single.is_truncated)
            assert ts.reward[lane].tolist() == single.rewards()
            if single.is_terminal:
                endings += 1
                assert ts.final_observation is not None
                assert np.array_equal(ts.final_observation[lane], single.observation())
                single = singles[lane] = darkqi.State(game, seed=env.seeds[lane], **options)
            assert ts.current_player[lane] == single.current_player
            assert np.array_equal(ts.observation[lane], single.observation())
            assert np.array_equal(ts.action_mask[lane], single.action_mask())
    assert [env.state(lane) for lane in range(lanes)] == singles
    if options:
        assert endings >= 10 * lanes


def test_a_lane_never_plays_a_game_twice() -> None:
    env = darkqi.make("gaiqi", 8, seed=0, max_plies=1)
    env.reset()
    seeds = [*env.seeds]
    for _ in range(20):
        assert env.step(env.sample_actions()).truncated.all()
        seeds += [*env.seeds]
    assert len(set(seeds)) == len(seeds)


def test_threads_do_not_matter(game: str) -> None:
    envs = [darkqi.make(game, 300, seed=4, threads=threads) for threads in (1, 2, None)]
    steps = [env.reset() for env in envs]
    for _ in range(40):
        actions = [env.sample_actions() for env in envs]
        for env, chosen in zip(envs, actions, strict=True):
            env.step(chosen)
        for chosen, step in zip(actions[1:], steps[1:], strict=True):
            assert np.array_equal(chosen, actions[0])
            for name, array in arrays(step).items():
                assert np.array_equal(array, getattr(steps[0], name)), name


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
@pytest.mark.parametrize("threads", [2, None])
def test_a_forked_process_can_step(threads: int | None) -> None:
    """The child gives the same rows, on one thread: other threads do not survive a fork."""
    env = darkqi.make("gaiqi", 300, seed=4, threads=threads)
    env.reset()
    for _ in range(10):
        env.step(env.sample_actions())
    context = multiprocessing.get_context("fork")
    answers = context.SimpleQueue()

    def play(env: darkqi.Env) -> bytes:
        for _ in range(30):
            timestep = env.step(env.sample_actions())
        return hashlib.sha256(timestep.observation.tobytes()).digest()

    process = context.Process(target=lambda: answers.put(play(env)))
    process.start()
    process.join(60)
    assert process.exitcode == 0
    assert answers.get() == play(env)


def test_other_lanes_do_not_matter(game: str) -> None:
    few, many = (
        darkqi.make(game, lanes, seed=4, observation="tokens", mask="bits") for lanes in (1, 4096)
    )
    one, all_of_them = few.reset(), many.reset()
    for _ in range(60):
        action, actions = few.sample_actions(), many.sample_actions()
        assert action[0] == actions[0]
        few.step(action)
        many.step(actions)
        for name, array in arrays(one).items():
            assert np.array_equal(array[0], getattr(all_of_them, name)[0]), name


def test_resets() -> None:
    env = darkqi.make("gaiqi", 3, seed=5)
    # The first reset shows the games dealt by `make`.
    dealt = env.seeds
    first = env.reset().observation.copy()
    assert np.array_equal(env.seeds, dealt)
    # A later reset deals the next games.
    env.reset()
    assert not np.isin(env.seeds, dealt).any()
    # A seed restarts the sequence of games.
    assert np.array_equal(env.reset(seed=5).observation, first)
    assert np.array_equal(env.seeds, dealt)
    assert np.array_equal(env.reset(6).observation, darkqi.make("gaiqi", 3, 6).reset().observation)


def test_covered_pieces_are_what_the_mover_would_see_face_up(game: str) -> None:
    env = darkqi.make(game, 8, seed=0)
    squares = int(np.prod(env.spec.board_shape))
    env.reset()
    compared = 0
    for _ in range(20):
        ts = env.step(env.sample_actions())
        covered = env.covered_pieces()
        assert (covered.dtype, covered.shape) == (np.dtype(np.uint8), (8, squares))
        for lane in range(8):
            state, seat = env.state(lane), int(ts.current_player[lane])
            fen = state.fen()
            marks = [place for place, letter in enumerate(fen.split(" ")[0]) if letter == "~"]
            assert np.count_nonzero(covered[lane]) == len(marks)
            before = state.observation(seat, format="tokens")[:squares]
            for place in marks:
                try:
                    shown = darkqi.State.from_fen(game, fen[:place] + fen[place + 1 :])
                except darkqi.FenError:
                    continue  # face up it would give check
                after = shown.observation(seat, format="tokens")[:squares]
                (square,) = np.flatnonzero(before != after)
                assert covered[lane, square] == after[square]
                compared += 1
    assert (compared > 1000) == ("~" in darkqi.State(game, seed=0).fen())


def test_sampled_actions_are_legal_and_fresh(game: str) -> None:
    env = darkqi.make(game, 50, seed=0)
    ts = env.reset()
    seen = []
    for _ in range(10):
        actions = env.sample_actions()
        assert actions.shape == (50,)
        assert actions.dtype == np.int64
        assert ts.action_mask[np.arange(50), actions].all()
        seen.append(actions)
        ts = env.step(actions)
    assert len({actions.ctypes.data for actions in seen}) == len(seen)


def test_states_are_copies(game: str) -> None:
    env = darkqi.make(game, 2, seed=0)
    ts = env.reset()
    before = ts.observation.copy()
    state = env.state(1)
    state.apply(state.legal_actions()[0])
    assert env.state(1) != state
    assert np.array_equal(env.reset(seed=0).observation, before)


def test_attributes_and_reprs() -> None:
    env = darkqi.make("jieqi", seed=0, num_envs=6, observation="tokens", captured="public")
    assert len(env) == env.num_envs == 6
    assert env.spec.name == "jieqi"
    assert env.seeds.dtype == np.uint64
    assert env.seeds.shape == (6,)
    for part in ("jieqi", "num_envs=6", "tokens", "'captured': 'public'"):
        assert part in repr(env)
    assert repr(env.reset()).startswith("TimeStep(observation=(6, ")
    assert env.reset().final_observation is None


def test_seeds_have_64_bits() -> None:
    seed = 2**64 - 1
    assert darkqi.make("gaiqi", 1, seed).seeds.tolist() == [seed]
    assert darkqi.make("gaiqi", 1, seed).state(0) == darkqi.State("gaiqi", seed)


def test_without_a_seed_one_is_drawn_and_shown() -> None:
    one, other = (darkqi.make("jieqi", 3) for _ in range(2))
    assert one.seed != other.seed
    assert darkqi.make("jieqi", 3, seed=one.seed).seeds.tolist() == one.seeds.tolist()
    other.reset(seed=5)
    assert other.seed == 5
    assert darkqi.State("jieqi", other.seeds[0]) == other.state(0)
    single = darkqi.State("jieqi")
    assert single.seed is not None
    assert single == darkqi.State("jieqi", single.seed) != darkqi.State("jieqi")
    assert darkqi.State.from_fen("jieqi", single.fen()).seed is None


def test_bad_arguments_of_make_are_named() -> None:
    make: Any = darkqi.make
    whole = "expected an integer from"
    for arguments, error, message in (
        ({"num_envs": 0}, ValueError, f"num_envs: {whole} 1 .* got 0"),
        ({"num_envs": -1}, ValueError, f"num_envs: {whole} 1 .* got -1"),
        ({"num_envs": 1.0}, TypeError, f"num_envs: {whole} 1 .* got float"),
        ({"num_envs": 10**12}, MemoryError, "Unable to allocate"),
        ({"seed": -(2**63) - 1}, ValueError, rf"seed: {whole} -2\*\*63 to 2\*\*64 - 1, got -"),
        ({"seed": 2**64}, ValueError, rf"seed: {whole} -2\*\*63 .* got {2**64}"),
        ({"seed": "1"}, TypeError, rf"seed: {whole} -2\*\*63 .* got str"),
        ({"threads": 0}, ValueError, f"threads: {whole} 1 .* got 0"),
        ({"observation": "rgb"}, ValueError, 'observation: expected "planes" or "tokens"'),
        ({"mask": "float"}, ValueError, 'mask: expected "bool" or "bits", got "float"'),
        ({"observation": 3}, TypeError, "observation"),
    ):
        with pytest.raises(error, match=message):
            make("jieqi", **{"num_envs": 1, **arguments})
