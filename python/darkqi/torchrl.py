"""Every game for TorchRL: natively stepped games as one batched ``EnvBase``.

>>> from darkqi.torchrl import DarkqiEnv                            # doctest: +SKIP
>>> env = DarkqiEnv("jieqi", num_envs=64, opponent="greedy")        # doctest: +SKIP
>>> env.set_seed(1)                                                 # doctest: +SKIP
>>> env.rollout(100, break_when_any_done=False).shape               # doctest: +SKIP
torch.Size([64, 100])
"""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

import darkqi
from darkqi._options import check_options, row_shape
from darkqi._records import AgentDict, Policy
from darkqi._seeds import checked_seeds

try:
    import torch
    from tensordict import TensorDict, TensorDictBase
    from torchrl.data import Binary, Categorical, Composite, Unbounded
    from torchrl.envs import EnvBase
except ImportError as error:
    raise ImportError("darkqi.torchrl needs TorchRL: pip install 'darkqi[torchrl]'") from error

__all__ = ["DarkqiEnv"]


class DarkqiEnv(EnvBase):  # type: ignore[misc]
    """N games of one kind, stepped natively and in parallel; its batch size is (N,).

    Against an ``opponent`` the learner plays one seat of each game: the others move within the
    step, and rewards are the learner's. Without an opponent the learner plays all seats in turn: a
    step is one ply, rows show what the mover sees, and the reward belongs to the seat that has just
    moved, so values flip their sign from ply to ply.

    Of N games a row has

    - ``observation`` (uint8): the observation from the mover's side, (N, C, H, W), or (N, T) as
      tokens;
    - ``action_mask`` (bool): the legal actions, none after the end of a game, (N, A);
    - ``current_player`` (int8): the seat whose observation it is, (N,);
    - ``rewards`` (float32): the rewards of all seats, 0 after a reset, (N, P);
    - ``action`` (int64): an action's index, (N,);
    - ``reward`` (float32): the reward of the seat that has just moved, (N, 1);
    - ``done`` (bool): whether the game has ended, (N, 1);
    - ``terminated`` (bool): whether it ended by its rules, (N, 1);
    - ``truncated`` (bool): whether it ended at the ply limit, (N, 1).

    The action spec has the mask of the last reset or step, so random actions are legal. TorchRL
    keeps a copy of it in a ``TransformedEnv``, where its transform ``ActionMask()`` does the same.
    In a ``SerialEnv`` or ``ParallelEnv`` take actions by the rows' ``action_mask``.

    Games that have ended wait for their reset, as TorchRL's rollouts and collectors do it:
    ``reset`` with ``_reset``, bool of shape (N,) or (N, 1), deals in these games only.

    ``set_seed(seed)`` deals, from the next reset of all games on, as a new
    ``darkqi.make(game, N, seed)`` does. Stepping fails as in ``darkqi.make``: with
    ``darkqi.IllegalActionError`` for illegal actions, and ``RuntimeError`` for games that have
    ended or that were not reset; then no game was stepped.
    """

    def __init__(
        self,
        game: str = "jieqi",
        num_envs: int = 1,
        *,
        opponent: str | AgentDict | Policy | None = None,
        seat: int | None = None,
        observation: Literal["planes", "tokens"] = "planes",
        illegal: Literal["raise", "forfeit"] = "raise",
        threads: int | None = None,
        device: "torch.device | str" = "cpu",
        **options: Any,
    ) -> None:
        """Makes the games; ``reset`` deals them.

        Args:
            game: One of ``darkqi.games()``.
            num_envs: Number of games N.
            opponent: An agent such as "random", "greedy" or "expectimax:depth=1", or a policy, that
                plays all seats but the learner's; None: the learner plays all seats.
            seat: The learner's seat against an opponent; None samples one for each game.
            observation: "planes" or "tokens".
            illegal: "raise" raises ``darkqi.IllegalActionError`` and steps no game; "forfeit" ends
                a game in which an illegal action is chosen, with reward -1.
            threads: Threads that step games; None for one per core.
            device: The device of the tensors. The games are on the CPU, where tensors share the
                memory that was written natively; other devices get copies.
            **options: Rule options; ``darkqi.spec(game).options`` lists them.

        Raises:
            ValueError: There is no such game, agent or seat, or a value is out of range.
            TypeError: There is no such option, or a value has the wrong type.
        """
        check_options(game, options)
        self._env = darkqi.make(
            game,
            num_envs,
            observation=observation,
            opponent=opponent,
            seat=seat,
            autoreset="disabled",
            illegal=illegal,
            threads=threads,
            **options,
        )
        rows = self._env.num_envs
        super().__init__(device=device, batch_size=[rows])
        self._seed: int | None = None
        # The seats that move next; None before the first reset.
        self._mover: NDArray[np.int8] | None = None
        self._make_specs(self._env.spec, observation)

    def state(self, i: int) -> darkqi.State:
        """Returns a copy of game i, covered pieces included, for search and pictures."""
        return self._env.state(i)

    def _make_specs(self, spec: darkqi.Spec, observation: str) -> None:
        rows, device = self.batch_size, self.device
        shape = row_shape(spec, observation)
        actions, seats = spec.num_actions, spec.num_players
        self.observation_spec = Composite(
            observation=Unbounded((*rows, *shape), dtype=torch.uint8, device=device),
            action_mask=Binary(shape=(*rows, actions), dtype=torch.bool, device=device),
            current_player=Categorical(seats, shape=rows, dtype=torch.int8, device=device),
            rewards=Unbounded((*rows, seats), dtype=torch.float32, device=device),
            shape=rows,
            device=device,
        )
        self.action_spec = Categorical(actions, shape=rows, dtype=torch.int64, device=device)
        self.reward_spec = Unbounded((*rows, 1), dtype=torch.float32, device=device)
        flag = Categorical(2, shape=(*rows, 1), dtype=torch.bool, device=device)
        self.done_spec = Composite(
            done=flag.clone(),
            terminated=flag.clone(),
            truncated=flag.clone(),
            shape=rows,
            device=device,
        )

    def _reset(self, tensordict: TensorDictBase | None = None, **_kwargs: Any) -> TensorDictBase:
        reset = None if tensordict is None else tensordict.get("_reset", None)
        if reset is None or reset.all():
            ts, self._seed = self._env.reset(self._seed), None
        else:
            ts = self._env.reset(lanes=reset.reshape(self.batch_size).cpu().numpy())
        return self._tensordict(ts)

    def _step(self, tensordict: TensorDictBase) -> TensorDictBase:
        if "_step" in tensordict.keys():  # noqa: SIM118 (a TensorDict iterates over its rows)
            raise NotImplementedError("_step: expected none, for all games are stepped together")
        mover = self._mover
        if mover is None:
            raise RuntimeError("step: expected reset to be called before")
        ts = self._env.step(tensordict["action"].cpu().numpy())
        found = self._tensordict(ts)
        reward = np.take_along_axis(ts.reward, mover[:, None].astype(np.intp), axis=1)
        found["reward"] = self._tensor(reward)
        return found

    def _set_seed(self, seed: int | None) -> None:
        self._seed = None if seed is None else checked_seeds(seed, 1)[0]

    def _tensordict(self, ts: darkqi.TimeStep) -> TensorDictBase:
        """Returns the rows of a time step, and remembers what the next step needs of them."""
        # A copy: the caller may write into the tensors.
        self._mover = ts.current_player.copy()
        mask = self._tensor(ts.action_mask)
        # No action is legal in a game that has ended, where the spec must still allow one.
        self.full_action_spec["action"].update_mask(mask | ~mask.any(-1, keepdim=True))
        terminated, truncated = (
            self._tensor(flags).unsqueeze(-1) for flags in (ts.terminated, ts.truncated)
        )
        return TensorDict(
            {
                "observation": self._tensor(ts.observation),
                "action_mask": mask,
                "current_player": self._tensor(ts.current_player),
                "rewards": self._tensor(ts.reward),
                "done": terminated | truncated,
                "terminated": terminated,
                "truncated": truncated,
            },
            self.batch_size,
            device=self.device,
        )

    def _tensor(self, rows: NDArray[Any]) -> "torch.Tensor":
        """Returns rows as a tensor that shares their memory on the CPU."""
        return torch.from_numpy(rows).to(self.device)
