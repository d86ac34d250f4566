"""Trains PPO with masked actions by self-play: one policy plays all seats.

    python python/examples/rllib_ppo.py --game flipping --iterations 20

Requirements: `pip install 'darkqi[rllib]'`.
"""

import argparse

from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule

import darkqi
from darkqi import rllib
from darkqi.commands import plain_parser


def config(args: argparse.Namespace) -> PPOConfig:
    """Returns the configuration of the training."""
    module = RLModuleSpec(
        module_class=ActionMaskingTorchRLModule,
        model_config={"fcnet_hiddens": [256, 256], "fcnet_activation": "relu"},
    )
    return (
        PPOConfig()
        .environment("darkqi", env_config={"game": args.game, "max_plies": args.max_plies})
        .env_runners(num_env_runners=args.workers, num_envs_per_env_runner=8)
        .multi_agent(policies={"shared"}, policy_mapping_fn=lambda *_, **__: "shared")
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs={"shared": module}))
        .training(
            train_batch_size_per_learner=args.batch,
            minibatch_size=min(args.batch, 256),
            num_epochs=4,
            # Only the result of a game counts.
            gamma=1.0,
            entropy_coeff=0.01,
        )
        .debugging(seed=args.seed)
    )


def main() -> None:
    """Trains, and prints the mean game length after every iteration."""
    parser = plain_parser(__doc__)
    add = parser.add_argument
    add("--game", default="gaiqi", choices=darkqi.games(), help="the game")
    add("--iterations", type=int, default=5, help="iterations of rollout and update")
    add("--batch", type=int, default=2000, help="plies per iteration")
    add("--max-plies", type=int, default=200, help="plies that truncate a game")
    add("--workers", type=int, default=0, help="rollout processes; 0: this one")
    add("--seed", type=int, default=0, help="seed of the run")
    args = parser.parse_args()

    rllib.register("darkqi")
    algorithm = config(args).build_algo()
    for iteration in range(1, args.iterations + 1):
        played = algorithm.train()["env_runners"]
        # RLlib omits metrics without data.
        games, plies = played.get("num_episodes", 0), played.get("episode_len_mean", float("nan"))
        print(f"iteration {iteration}: {games:.0f} games, mean length {plies:.1f} plies")
    algorithm.stop()


if __name__ == "__main__":
    main()
