"""An env behaves as single games do, for any sequence of calls.

`DARKQI_TESTS=long` runs more examples.
"""

from typing import Any

import numpy as np
import pytest
from common import LONG, arrays, game_seed
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from numpy.typing import NDArray

import darkqi


class AllSeats:
    """A game in which the caller plays all seats, and its expected rows.

    Rewards are None until the end.
    """

    def __init__(self, name: str, seed: int, setup: dict[str, Any], options: dict[str, Any]):
        self.state = darkqi.State(name, seed, **options)
        self.format = setup["observation"]
        self.rewards: list[float] | None = None
        self.is_truncated = False

    def fen(self) -> str:
        return self.state.fen()

    def player(self) -> int:
        return self.state.current_player

    def mask(self) -> NDArray[np.bool_]:
        return self.state.action_mask()

    def observation(self) -> NDArray[np.uint8]:
        return self.state.observation(format=self.format)

    def play(self, action: int) -> None:
        try:
            self.state.apply(action)
        except darkqi.IllegalActionError:
            # Forfeit.
            seats = self.state.spec.num_players
            self.rewards = [1 / (seats - 1)] * seats
            self.rewards[self.player()] = -1
            return
        if self.state.outcome is not None:
            self.rewards = self.state.rewards()
            self.is_truncated = self.state.is_truncated


class OneSeat(AllSeats):
    """A game against an agent, in a separate env of one lane."""

    def __init__(self, name: str, seed: int, setup: dict[str, Any], options: dict[str, Any]):
        names = ("opponent", "seat", "observation", "illegal")
        chosen = {name: setup[name] for name in names}
        self.env = darkqi.make(name, 1, seed=0, autoreset="disabled", **chosen, **options)
        self.ts = self.env.reset([seed])
        self.rewards, self.is_truncated = None, False

    def fen(self) -> str:
        return self.env.state(0).fen()

    def player(self) -> int:
        return int(self.ts.current_player[0])

    def mask(self) -> NDArray[np.bool_]:
        mask: NDArray[np.bool_] = self.ts.action_mask[0]
        return mask

    def observation(self) -> NDArray[np.uint8]:
        row: NDArray[np.uint8] = self.ts.observation[0]
        return row

    def play(self, action: int) -> None:
        self.ts = self.env.step([action])
        if self.ts.terminated[0] or self.ts.truncated[0]:
            self.rewards = self.ts.reward[0].tolist()
            self.is_truncated = bool(self.ts.truncated[0])


class Lane:
    """A lane of an env made with `setup` and `options`."""

    def __init__(
        self, name: str, number: int, setup: dict[str, Any], options: dict[str, Any]
    ) -> None:
        self.name, self.number, self.setup, self.options = name, number, setup, options
        self.restart(game_seed(setup["seed"], number))

    def restart(self, first_seed: int) -> None:
        self.first_seed, self.played = first_seed, 0
        self.deal()

    def next_game(self) -> None:
        self.played += 1
        self.deal()

    def deal(self) -> None:
        kind = AllSeats if self.setup["opponent"] is None else OneSeat
        self.seed = game_seed(self.first_seed, self.played << 32)
        self.game = kind(self.name, self.seed, self.setup, self.options)
        self.reward = [0.0] * darkqi.spec(self.name, **self.options).num_players
        self.terminated = self.truncated = self.forfeited = self.waits = False
        self.final: tuple[NDArray[np.uint8], int] | None = None

    def expected_error(self, action: int) -> type[Exception] | None:
        """Returns the error that this action raises in this lane, or None."""
        if self.waits:
            return None if self.setup["autoreset"] == "next_step" else RuntimeError
        is_allowed = self.is_legal(action) or self.setup["illegal"] == "forfeit"
        return None if is_allowed else darkqi.IllegalActionError

    def is_legal(self, action: int) -> bool:
        mask = self.game.mask()
        return 0 <= action < len(mask) and bool(mask[action])

    def step(self, action: int) -> None:
        if self.waits:
            return self.next_game()
        self.reward = [0.0] * len(self.reward)
        self.terminated = self.truncated = self.forfeited = False
        self.final = None
        forfeited = not self.is_legal(action)
        self.game.play(action)
        if self.game.rewards is None:
            return None
        reward, truncated = self.game.rewards, self.game.is_truncated
        final = self.game.observation().copy(), self.game.player()
        if self.setup["autoreset"] == "same_step":
            self.next_game()
        else:
            self.waits = True
        self.reward, self.truncated, self.terminated = reward, truncated, not truncated
        self.forfeited, self.final = forfeited, final
        return None

    def mask(self) -> NDArray[np.bool_]:
        mask = self.game.mask()
        return np.zeros_like(mask) if self.waits else mask

    def check(self, ts: darkqi.TimeStep, row: int) -> None:
        """Asserts that a row of a time step equals this lane."""
        mask = ts.action_mask[row]
        if self.setup["mask"] == "bits":
            mask = np.unpackbits(mask, bitorder="little")[: len(self.mask())].astype(bool)
        assert np.array_equal(mask, self.mask())
        assert mask.any() != self.waits
        assert ts.current_player[row] == self.game.player()
        assert np.array_equal(ts.observation[row], self.game.observation())
        assert np.array_equal(ts.reward[row], np.array(self.reward, np.float32))
        assert abs(ts.reward[row].sum()) < 1e-5
        assert (ts.terminated[row], ts.truncated[row]) == (self.terminated, self.truncated)
        assert ts.forfeited[row] == self.forfeited
        if ts.final_observation is not None and self.final is not None:
            assert ts.final_player is not None
            observation, player = self.final
            assert np.array_equal(ts.final_observation[row], observation)
            assert ts.final_player[row] == player


SEEDS = st.integers(0, 2**64 - 1)
PICKS = st.integers(0, 2**16)

# Seats of seven_kingdoms; other options are sampled from their ranges.
SEATS = [{}, {"seats": "0-----1"}, {"seats": "01201--"}, {"seats": "-0-1-2-", "teams": "ABB"}]


@st.composite
def rules_of(draw: st.DrawFn, game: str, least_plies: int) -> dict[str, Any]:
    options: dict[str, Any] = {}
    for option in darkqi.spec(game).options:
        if option.name == "max_plies":
            options[option.name] = draw(st.integers(least_plies, 30))
        elif option.design or option.name in ("seats", "teams") or draw(st.booleans()):
            continue
        elif isinstance(option.default, bool):
            options[option.name] = draw(st.booleans())
        elif isinstance(option.default, int):
            low, high = map(int, option.range.split(" to "))
            low = min(max(low, least_plies), high)
            options[option.name] = draw(st.integers(low, min(high, 30)))
        else:
            options[option.name] = draw(st.sampled_from(option.range.split(", ")))
    if game == "seven_kingdoms":
        options |= draw(st.sampled_from(SEATS))
    return options


class Batches(RuleBasedStateMachine):
    """An env and the model of its lanes."""

    @initialize(data=st.data(), game=st.sampled_from(darkqi.games()), lanes=st.integers(1, 4))
    def make(self, data: st.DataObject, game: str, lanes: int) -> None:
        draw = data.draw
        opponent = draw(st.sampled_from([None, None, "random", "greedy"]))
        # An opponent must not end a game before the caller's turn.
        options = draw(rules_of(game, 1 if opponent is None else 8))
        spec = darkqi.spec(game, **options)
        seat = None
        if opponent is not None:
            seat = draw(st.none() | st.integers(0, spec.num_players - 1))
        self.setup: dict[str, Any] = {
            "seed": draw(SEEDS),
            "observation": draw(st.sampled_from(["planes", "tokens"])),
            "mask": draw(st.sampled_from(["bool", "bits"])),
            "final_observation": draw(st.booleans()),
            "groups": draw(st.integers(1, lanes)),
            "copy": draw(st.booleans()),
            "opponent": opponent,
            "seat": seat,
            "autoreset": draw(st.sampled_from(["same_step", "next_step", "disabled"])),
            "illegal": draw(st.sampled_from(["raise", "forfeit"])),
            "threads": draw(st.sampled_from([1, 2, None])),
        }
        self.env = darkqi.make(game, lanes, **self.setup, **options)
        self.lanes = [Lane(game, number, self.setup, options) for number in range(lanes)]
        self.groups = self.group_lanes()
        self.dealt = False
        self.turn, self.at_hand = 0, False
        self.in_flight: set[int] = set()
        self.kept: list[tuple[darkqi.TimeStep, bytes]] = []
        self.check_rows(self.env.reset(), range(lanes))

    def group_lanes(self) -> list[range]:
        """Returns the lanes of each group: of equal size, the first ones a lane longer."""
        each, longer = divmod(len(self.lanes), self.setup["groups"])
        ends = [(k + 1) * each + min(k + 1, longer) for k in range(self.setup["groups"])]
        return [range(start, end) for start, end in zip([0, *ends], ends, strict=False)]

    def check_rows(self, ts: darkqi.TimeStep, lanes: range) -> None:
        """Checks rows just written, and keeps copies that belong to the caller."""
        assert ts.lanes == slice(lanes.start, lanes.stop)
        for row, lane in enumerate(lanes):
            self.lanes[lane].check(ts, row)
        if self.setup["copy"]:
            self.kept.append((ts, contents(ts)))
        if lanes == range(len(self.lanes)):
            self.turn, self.at_hand = 0, False

    def legal(self, lanes: range, picks: list[int]) -> NDArray[np.int64]:
        """Returns an action for each lane: a legal one if there is any."""
        masks = [self.lanes[lane].mask().nonzero()[0] for lane in lanes]
        pairs = zip(masks, picks, strict=False)
        return np.array([mask[pick % len(mask)] if len(mask) else 0 for mask, pick in pairs])

    def refused(self, actions: NDArray[np.int64], lanes: range) -> type[Exception] | None:
        """Returns the error that refuses these actions, or None."""
        pairs = zip(lanes, actions.tolist(), strict=True)
        errors = (self.lanes[lane].expected_error(action) for lane, action in pairs)
        return next((error for error in errors if error), None)

    @precondition(lambda self: not self.in_flight)
    @rule(picks=st.lists(PICKS, min_size=4, max_size=4), dtype=st.sampled_from(["i8", "i4", "u2"]))
    def step(self, picks: list[int], dtype: str) -> None:
        lanes = range(len(self.lanes))
        self.play(self.legal(lanes, picks).astype(dtype), lanes)

    @precondition(lambda self: not self.in_flight)
    @rule(steps=st.integers(1, 30))
    def step_on(self, steps: int) -> None:
        if self.at_hand:
            return
        for _ in range(steps):
            self.play(self.env.sample_actions(), range(len(self.lanes)))

    @precondition(lambda self: not self.in_flight)
    @rule(
        picks=st.lists(PICKS, min_size=4, max_size=4),
        lane=PICKS,
        action=st.integers(-(2**63), 2**63 - 1) | st.integers(0, 500),
    )
    def step_with_any_action(self, picks: list[int], lane: int, action: int) -> None:
        lanes = range(len(self.lanes))
        actions = self.legal(lanes, picks)
        actions[lane % len(actions)] = action
        self.play(actions, lanes)

    def play(self, actions: NDArray[Any], lanes: range) -> None:
        """Steps all lanes, and the model if the env accepts the actions."""
        error = self.refused(actions, lanes)
        if error is not None:
            with pytest.raises(error, match=r"^lane "):
                self.env.step(actions)
            return
        ts = self.env.step(actions)
        for lane, action in zip(self.lanes, actions.tolist(), strict=True):
            lane.step(action)
        self.check_rows(ts, lanes)

    @precondition(lambda self: not self.in_flight)
    @rule(seed=st.none() | SEEDS)
    def reset(self, seed: int | None) -> None:
        ts = self.env.reset(seed)
        for lane in self.lanes:
            if seed is None:
                lane.next_game()
            else:
                lane.restart(game_seed(seed, lane.number))
        self.check_rows(ts, range(len(self.lanes)))

    @precondition(lambda self: not self.in_flight)
    @rule(data=st.data())
    def reset_some(self, data: st.DataObject) -> None:
        count = len(self.lanes)
        mask = data.draw(st.lists(st.booleans(), min_size=count, max_size=count))
        seeds = data.draw(st.none() | st.lists(st.none() | SEEDS, min_size=count, max_size=count))
        ts = self.env.reset(seeds, lanes=None if all(mask) else mask)
        for lane, is_reset, seed in zip(self.lanes, mask, seeds or [None] * count, strict=True):
            if is_reset and seed is None:
                lane.next_game()
            elif is_reset and seed is not None:
                lane.restart(seed)
        self.check_rows(ts, range(count))

    @precondition(lambda self: not self.in_flight)
    @rule(
        bad=st.sampled_from(
            [
                {"seed": -(2**63) - 1},
                {"seed": 2**64},
                {"seed": 1.5},
                {"seed": "one"},
                {"seed": []},
                {"seed": [1] * 9},
                {"lanes": [True] * 9},
                {"lanes": [0.5] * 4},
                {"lanes": "all"},
                {"lanes": np.ones((2, 2), bool)},
            ]
        )
    )
    def reset_with_nonsense(self, bad: dict[str, Any]) -> None:
        with pytest.raises((TypeError, ValueError)):
            self.env.reset(**bad)

    @precondition(lambda self: not self.at_hand)
    @rule()
    def receive(self) -> None:
        turn = self.turn
        self.check_rows(self.env.recv(), self.groups[turn])
        self.in_flight.discard(turn)
        self.turn, self.at_hand = turn, True

    @precondition(lambda self: self.at_hand)
    @rule(
        picks=st.lists(PICKS, min_size=4, max_size=4),
        wrong=st.none() | st.integers(-3, 300),
    )
    def send(self, picks: list[int], wrong: int | None) -> None:
        lanes = self.groups[self.turn]
        actions = self.legal(lanes, picks)
        if wrong is not None:
            actions[-1] = wrong
        with pytest.raises((TypeError, ValueError)):
            self.env.send(actions[:-1])
        error = self.refused(actions, lanes)
        if error is not None:
            with pytest.raises(error, match=r"^lane "):
                self.env.send(actions)
            return
        self.env.send(actions)
        # `send` copies the actions.
        for lane, action in zip(lanes, actions.tolist(), strict=True):
            self.lanes[lane].step(action)
        actions[:] = -1
        self.in_flight.add(self.turn)
        self.turn, self.at_hand = (self.turn + 1) % len(self.groups), False

    @precondition(lambda self: self.at_hand)
    @rule()
    def receive_twice(self) -> None:
        with pytest.raises(RuntimeError, match="wait for their actions"):
            self.env.recv()

    @precondition(lambda self: not self.at_hand)
    @rule()
    def send_out_of_turn(self) -> None:
        with pytest.raises(RuntimeError, match="no group has been received"):
            self.env.send(np.zeros(1, np.int64))

    @precondition(lambda self: bool(self.in_flight))
    @rule()
    def step_while_some_are_away(self) -> None:
        with pytest.raises(RuntimeError, match="are being stepped"):
            self.env.step([0] * len(self.lanes))
        with pytest.raises(RuntimeError, match="are being stepped"):
            self.env.reset()

    @rule()
    def wait(self) -> None:
        self.env.wait()
        self.in_flight.clear()

    @rule(viewer=PICKS, nobody=st.sampled_from([-1, 99, "red", None, 1.0, True]))
    def observe(self, viewer: int, nobody: Any) -> None:
        if self.in_flight and not self.at_hand:
            return
        seats = self.env.spec.num_players
        seen_by: Any = ["public", *range(seats)][viewer % (seats + 1)]
        lanes = self.groups[self.turn] if self.at_hand else range(len(self.lanes))
        rows = self.env.observe(seen_by)
        assert len(rows) == len(lanes)
        for row, lane in zip(rows, lanes, strict=True):
            state = self.env.state(lane)
            shown = state.observation(seen_by, self.setup["observation"])
            assert np.array_equal(row, shown)
        with pytest.raises(ValueError, match=r"^viewer "):
            self.env.observe(nobody)

    @rule(lane=PICKS, seed=SEEDS, pick=PICKS)
    def play_with_a_copy(self, lane: int, seed: int, pick: int) -> None:
        """A lane's state and its copies are independent."""
        number = lane % len(self.lanes)
        if any(number in self.groups[group] for group in self.in_flight):
            with pytest.raises(RuntimeError, match="are being stepped"):
                self.env.state(number)
            return
        state = self.env.state(number)
        before, mover = state.fen(), state.current_player
        world = state.resample(mover, seed)
        assert world.fen(mover) == state.fen(mover)
        assert world.legal_actions() == state.legal_actions()
        copy = state.clone()
        for nonsense in (-1, 2**70, "z9", "", None, 1.0, True, b"a1"):
            with pytest.raises((TypeError, ValueError)):
                copy.apply(nonsense)  # type: ignore[arg-type]
        assert copy == state
        for ply in range(4):
            legal = copy.legal_actions()
            if legal:
                copy.apply(legal[(pick + ply) % len(legal)])
        assert state.fen() == before

    @invariant()
    def lanes_are_what_they_should_be(self) -> None:
        if not hasattr(self, "lanes"):
            return
        for number, group in enumerate(self.groups):
            if number in self.in_flight:
                continue
            for lane in group:
                assert self.env.state(lane).fen() == self.lanes[lane].game.fen()
        if not self.in_flight or self.at_hand:
            lanes = self.groups[self.turn] if self.at_hand else range(len(self.lanes))
            assert self.env.seeds.tolist() == [self.lanes[lane].seed for lane in lanes]
        for ts, before in self.kept[-3:]:
            assert contents(ts) == before


def contents(ts: darkqi.TimeStep) -> bytes:
    return b"".join(array.tobytes() for array in arrays(ts).values())


TestBatches = Batches.TestCase
TestBatches.settings = settings(
    max_examples=2500 if LONG else 50,
    stateful_step_count=100 if LONG else 30,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
