"""Trains PPO with masked actions, by self-play or against agents, on one page.

    python python/examples/ppo.py --game flipping --out runs/ppo

The same command goes on from the last evaluation, where a checkpoint was written. What it is made
of is in `darkqi.nets` and `darkqi.learning`. Requirements: `pip install 'darkqi[torch]'`.
"""

import argparse
from collections.abc import Sequence
from contextlib import nullcontext

import numpy as np
import torch
from torch import nn

import darkqi
import darkqi.onnx
from darkqi import commands, learning
from darkqi.commands import LADDER, MANY, count, share, weight
from darkqi.learning import Buffer, Lanes, Log, Pool, Run
from darkqi.nets import Agent, PolicyNet, TruthCritic, reflections, sample, values_by_seat

POOL = 10
# These may change when a run goes on.
FREE = ("against", "evaluations", "games", "groups", "total_plies")


def groups_of(args: argparse.Namespace, seed: int) -> list[Lanes]:
    """Deals a game in every lane; one group of lanes is played while the net looks at another."""
    return [
        Lanes(
            args.game,
            args.lanes // args.groups,
            # Far from the other groups, and from the deals that the policy is measured on.
            seed + (group * (1 + len(args.opponents)) << 32),
            opponents=args.opponents,
            share=args.opponent_share,
            truth=args.critic == "truth",
            overlap=args.groups > 1,
            threads=args.threads,
            device=args.device,
            **args.options,
        )
        for group in range(args.groups)
    ]


# Not in inference mode, whose tensors are others to a compiler than those of an update.
@torch.no_grad()
def collect(
    groups: Sequence[Lanes],
    policy: PolicyNet,
    past: PolicyNet,
    buffer: Buffer,
    past_share: float = 0.0,
    critic: TruthCritic | None = None,
    anchor: PolicyNet | None = None,
    regularization: float = 0.0,
) -> None:
    """Fills a buffer; games go on from the last one.

    In self-play the policy has all seats of most lanes. In a share of them it has one, and a past
    policy the others. With an anchor, rewards are those of R-NaD (Perolat et al., "Mastering the
    Game of Stratego", 2022): who does what the anchor would hardly have done pays for it.
    """
    steps, number = buffer.action.shape[0], buffer.action.shape[1] // len(groups)
    for t in range(steps + 1):
        for group, lanes in enumerate(groups):
            here = slice(group * number, (group + 1) * number)
            if t > 0:
                lanes.recv()
                reward(lanes, policy, critic, buffer, t - 1, here)
            tokens, mover = lanes.rows["observation"], lanes.rows["current_player"]
            mask = lanes.rows["action_mask"]
            legal, value = policy.legal(tokens, mask)
            if critic is not None:
                value = critic(tokens, lanes.covered)
            buffer.value[t, here] = values_by_seat(value, mover, policy.seats)
            if t == steps:
                continue
            action, log_prob = sample(legal, mask)
            lane = torch.arange(number, device=mover.device)
            meets_past = lane < past_share * lanes.is_self_play.sum()
            learns = ~meets_past | (mover == lane % policy.seats)
            others = (~learns).nonzero().squeeze(1)
            if len(others):
                legal, _ = past.legal(tokens[others], mask[others])
                action[others], log_prob[others] = sample(legal, mask[others])
            buffer.reward[t, here] = 0
            if anchor is not None:
                legal, _ = anchor.legal(tokens, mask)
                cost = log_prob - legal.log_prob[legal.action == action[legal.position]]
                buffer.reward[t, here] = values_by_seat(
                    -regularization * cost[:, None], mover, policy.seats
                )
            if lanes.covered is not None:
                buffer.covered[t, here] = lanes.covered
            buffer.tokens[t, here], buffer.mask[t, here] = tokens, mask
            buffer.mover[t, here], buffer.learns[t, here] = mover, learns
            buffer.action[t, here], buffer.log_prob[t, here] = action, log_prob
            lanes.send(action)


def reward(
    lanes: Lanes, policy: PolicyNet, critic: TruthCritic | None, buffer: Buffer, t: int, here: slice
) -> None:
    """Notes what came of the actions of a group of lanes."""
    truncated = lanes.rows["truncated"]
    buffer.reward[t, here] += lanes.rows["reward"]
    buffer.ended[t, here] = lanes.rows["terminated"] | truncated
    buffer.final_value[t, here] = 0
    if truncated.any():
        # Who judges positions judges this one, too.
        tokens, player, covered = lanes.final(truncated)
        value = policy.value(tokens) if critic is None else critic(tokens, covered)
        final_value = torch.zeros_like(buffer.final_value[t, here])
        final_value[truncated] = values_by_seat(value, player, policy.seats)
        buffer.final_value[t, here] = final_value


def update(
    policy: PolicyNet,
    optimizer: torch.optim.Optimizer,
    buffer: Buffer,
    args: argparse.Namespace,
    entropy_weight: float,
    critic: TruthCritic | None = None,
) -> dict[str, float]:
    """Updates the policy, and the critic if there is one, by PPO; returns the mean losses."""
    past = (buffer.reward, buffer.value, buffer.ended, buffer.final_value)
    of_seats = learning.gae(*past, args.gamma, args.lam)
    target = (of_seats + buffer.value[:-1]).flatten(0, 1)
    mover = buffer.mover.flatten().long()
    advantage = of_seats.flatten(0, 1).gather(1, mover[:, None]).squeeze(1)
    # Plies of past policies count in the sums above but are not trained on.
    kept = buffer.learns.flatten().nonzero().squeeze(-1)
    tokens, mask = buffer.tokens.flatten(0, 1), buffer.mask.flatten(0, 1)
    covered = buffer.covered.flatten(0, 1)
    action, before = buffer.action.flatten(), buffer.log_prob.flatten()

    minibatches = [
        batch
        for _ in range(args.epochs)
        for batch in kept[torch.randperm(len(kept), device=kept.device)].split(args.minibatch)
    ]
    symmetries = reflections(darkqi.spec(args.game, **args.options), args.device)
    parameters = [weights for group in optimizer.param_groups for weights in group["params"]]
    sums = torch.zeros(4, device=kept.device)
    for batch in minibatches:
        # One game is as good as its reflections.
        seen = symmetries[int(torch.randint(len(symmetries), ()))]
        chosen = seen.actions[action[batch]]
        position = tokens[batch][:, seen.tokens]
        legal, value = policy.legal(position, mask[batch][:, seen.actions])
        log_probs = legal.log_prob
        # One for each position, in their order.
        log_prob = log_probs[legal.action == chosen[legal.position]]
        gain = advantage[batch]
        gain = (gain - gain.mean()) / (gain.std(correction=0) + 1e-8)
        ratio = (log_prob - before[batch]).exp()
        clipped = ratio.clamp(1 - args.clip, 1 + args.clip)
        policy_loss = -torch.min(ratio * gain, clipped * gain).mean()
        value = values_by_seat(value, mover[batch], policy.seats)
        value_loss = (value - target[batch]).square().mean()
        entropy = -(log_probs.exp() * log_probs).sum() / len(batch)
        critic_loss = torch.zeros_like(value_loss)
        if critic is not None:
            value = critic(position, covered[batch][:, seen.tokens[: covered.shape[1]]])
            value = values_by_seat(value, mover[batch], policy.seats)
            critic_loss = (value - target[batch]).square().mean()
        loss = policy_loss + 0.5 * (value_loss + critic_loss) - entropy_weight * entropy
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(parameters, 0.5)
        optimizer.step()
        sums += torch.stack([policy_loss, value_loss, critic_loss, entropy]).detach()
    means = (sums / len(minibatches)).tolist()
    return dict(zip(("policy", "value", "critic", "entropy"), means, strict=True))


def train(args: argparse.Namespace) -> None:
    """Trains a policy, prints evaluations, writes checkpoints and an ONNX file."""
    torch.set_num_threads(args.threads)
    torch.manual_seed(args.seed)
    spec, policy = darkqi.spec(args.game, **args.options), commands.first_policy(args)
    settings, critic = commands.settings_of(args, policy, FREE), None
    if args.critic == "truth":
        critic = TruthCritic(spec, settings["width"], settings["attacks"]).to(args.device)
        # Without weights, and compiled or not.
        critic.trunk.attacks = policy.trunk.attacks
    learners = nn.ModuleList([policy, *filter(None, [critic])])
    optimizer, pool = torch.optim.Adam(learners.parameters(), eps=1e-5), Pool(policy, POOL)
    parts = {"policy": policy, "critic": critic, "optimizer": optimizer, "past": pool}
    run, log = Run(args.out / "policy.pt", settings, **parts), Log(args.out)
    # A run that goes on does not draw the same numbers again.
    seed = args.seed + run.plies
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    groups, buffer = groups_of(args, seed), Buffer(args.steps, args.lanes, spec, args.device)
    if run.plies:
        # A checkpoint is written before its scores.
        report(run, policy, args, log)

    size = args.steps * args.lanes
    iterations, first = max(1, args.total_plies // size), run.plies // size + 1
    # Counted back from the end, to include the last iteration.
    evaluated = {iterations - k * iterations // args.evaluations for k in range(args.evaluations)}
    for iteration in range(first, iterations + 1):
        with run.timed():
            done = (iteration - 1) / iterations
            for group in optimizer.param_groups:
                group["lr"] = args.learning_rate * (1 - done)
            entropy_weight = args.entropy ** (1 - done) * args.final_entropy**done
            past, anchor = pool.draw(rng), pool.policies[-1] if args.regularization else None
            collect(
                groups, policy, past, buffer, args.past_share, critic, anchor, args.regularization
            )
            losses = update(policy, optimizer, buffer, args, entropy_weight, critic)
            if iteration % max(1, iterations // (2 * POOL)) == 0:
                pool.add(policy)
        run.plies = iteration * size
        log.scalars(run.plies, **{f"loss/{name}": its for name, its in losses.items()})
        log.scalars(run.plies, **{"speed/plies_per_second": run.plies / run.seconds})
        if iteration in evaluated:
            run.save()
            report(run, policy, args, log)
    log.close()
    path = args.out / "policy.onnx"
    darkqi.onnx.export(policy, args.game, path, observation="tokens", **args.options)


def report(run: Run, policy: PolicyNet, args: argparse.Namespace, log: Log) -> None:
    """Plays against agents, prints the scores and logs them, unless this was done before."""
    if log.has("plies", run.plies):
        return
    print(
        f"{run.plies:,} plies in {run.seconds:.0f} s, {run.plies / run.seconds:,.0f} per second; "
        f"{run.cpu_seconds:.0f} s of processor time"
    )
    found = []
    for agent in args.against:
        # Nothing is to be compiled for the rows of matches.
        with torch.compiler.set_stance("force_eager") if args.compile else nullcontext():
            settings = {"seed": args.seed + 1, "threads": args.threads, **args.options}
            score = learning.evaluate(Agent(policy), args.game, agent, args.games, **settings)
        print(f"  against {agent}: {score}", flush=True)
        times = {"seconds": f"{run.seconds:.1f}", "cpu_seconds": f"{run.cpu_seconds:.1f}"}
        found.append((agent, {"plies": run.plies, **times, "opponent": agent}, score))
    log.scores(run.plies, found)


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Reads the command line."""
    parser = commands.parser_of(__doc__, "runs/ppo")
    commands.add_game(parser)
    commands.add_net(parser)
    add = parser.add_argument
    add("--opponents", **MANY, metavar="AGENT", help="agents that it meets, too")
    add("--opponent-share", type=share, default=0.3, help="share of lanes against these agents")
    add("--past-share", type=share, default=0.25, help="share of the others against past policies")
    add("--total-plies", type=count, default=2_000_000, help="plies to play")
    add("--lanes", type=count, default=256, help="parallel games")
    add("--groups", type=count, default=1, help="groups of lanes, played while the net computes")
    add("--steps", type=count, default=64, help="steps between updates")
    add("--epochs", type=count, default=3, help="passes over each buffer")
    add("--minibatch", type=count, default=2048, help="plies per gradient step")
    add("--learning-rate", type=weight, default=5e-4, help="initial; it decays to 0")
    # The discount makes early wins worth more.
    add("--gamma", type=share, default=0.997, help="discount per step")
    add("--lam", type=share, default=0.95, help="lambda of GAE")
    add("--clip", type=weight, default=0.2, help="limit of the probability ratio")
    add("--entropy", type=weight, default=0.02, help="initial weight of the entropy")
    add("--final-entropy", type=weight, default=0.002, help="its weight in the end")
    add("--regularization", type=weight, default=0.0, help="weight of distances to past policies")
    add("--critic", choices=["policy", "truth"], default="policy", help="who judges positions")
    add("--evaluations", type=count, default=8, help="number of evaluations")
    add("--games", type=count, default=400, help="games per evaluation and agent")
    add("--against", nargs="*", default=LADDER, metavar="AGENT", help="whom it is measured against")
    args = commands.parsed(parser, arguments)
    if args.entropy > 0 >= args.final_entropy:
        parser.error(f"argument --final-entropy: expected more than 0, got {args.final_entropy}")
    if args.regularization and (seats := darkqi.spec(args.game, **args.options).num_players) != 2:
        parser.error(f"argument --regularization: expected a game of 2 seats, got {seats}")
    if args.lanes % args.groups:
        parser.error(f"argument --groups: expected a divisor of {args.lanes}, got {args.groups}")
    return args


if __name__ == "__main__":
    try:
        train(parse(None))
    except (OSError, ValueError) as error:
        raise SystemExit(str(error)) from None
