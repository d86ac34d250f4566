"""Makes the nets of the agent `baseline`: fits them to games that a search plays against itself.

    python python/examples/baseline.py --out runs/baseline

Requirements: `pip install 'darkqi[torch]'`. Games and fits that were interrupted go on, nets that
are there stay. docs/baselines.md has the results.
"""

import argparse
import hashlib
import itertools
import math
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from torch import Tensor, nn
from torch.optim.swa_utils import AveragedModel

import darkqi
import darkqi.onnx
from darkqi.torch import PositionDataset


class Settings(NamedTuple):
    """What the shipped net of a game was made from."""

    games: int
    batches: int
    start: str | None = None
    """A game with the same board and actions, whose net the fit begins with."""


GAMES = {
    "banqi": Settings(3_000, 100),
    "flipping": Settings(20_000, 500),
    "gaiqi": Settings(15_000, 200),
    "jieqi": Settings(5_000, 100),
    "mystery": Settings(800, 0, start="jieqi"),
}
# One game in this number is held out.
HELD_OUT = 20
# Groups of channels that look at other squares in ways of their own.
HEADS = 4
# Batches between snapshots.
SNAPSHOT = 50
# Smaller tensors stay in float32.
LEAST_HALVED = 256


class Block(nn.Module):
    """A residual block that begins as the identity.

    Each square sees its neighbours by a convolution, and all squares by weights for each pair of
    squares, which learn lines and leaps. Every head of channels has weights of its own.
    """

    def __init__(self, width: int, squares: int) -> None:
        """Makes a block of `width` channels."""
        super().__init__()
        self.near = nn.Conv2d(width, width, 3, padding=1)
        self.far = nn.Parameter(torch.randn(HEADS, squares, squares) * squares**-0.5)
        self.out = nn.Conv2d(width, width, 1)
        nn.init.zeros_(self.out.weight)

    def forward(self, features: Tensor) -> Tensor:
        """Maps features (B, width, H, W) to others of the same shape."""
        heads = features.unflatten(1, (HEADS, -1)).flatten(3)
        far = torch.einsum("bhcs,hst->bhct", heads, self.far).reshape(features.shape)
        return features + self.out((self.near(features) + far).relu())


class Net(nn.Module):
    """Policy and value from the planes of a position, from the mover's side."""

    scale: Tensor
    index: Tensor

    def __init__(self, spec: darkqi.Spec, width: int, blocks: int) -> None:
        """Makes a net for a game, with residual blocks of `width` channels."""
        super().__init__()
        planes, ranks, files = spec.observation_shape
        scale = torch.from_numpy(spec.plane_maxima.astype(np.float32)).reshape(-1, 1, 1)
        self.register_buffer("scale", scale)
        self.stem = nn.Conv2d(planes, width, 1)
        self.places = nn.Parameter(torch.zeros(width, ranks, files))
        squares = ranks * files
        self.trunk = nn.Sequential(*(Block(width, squares) for _ in range(blocks)))

        # Logits of steps are products of features of both squares; a flip has its square twice.
        self.source = nn.Conv2d(width, width, 1)
        self.target = nn.Conv2d(width, width, 1)
        self.flip = nn.Conv2d(width, 1, 1)
        source, target = torch.from_numpy(spec.action_squares.astype(np.int64)).unbind(1)
        index = torch.where(source == target, squares**2 + source, source * squares + target)
        self.register_buffer("index", index)
        self.preference = nn.Parameter(torch.zeros(spec.num_actions))
        self.value = nn.Sequential(
            nn.Conv2d(width, 4, 1),
            nn.ReLU(),
            nn.Flatten(),
            nn.Linear(4 * squares, 64),
            nn.ReLU(),
            nn.Linear(64, 1),
            nn.Tanh(),
        )

    def forward(self, observation: Tensor) -> tuple[Tensor, Tensor]:
        """Maps B positions in uint8 to logits (B, A) and the mover's values (B, 1)."""
        features = self.trunk((self.stem(observation / self.scale) + self.places).relu())
        source, target = self.source(features).flatten(2), self.target(features).flatten(2)
        steps = source.transpose(1, 2) @ target / math.sqrt(source.shape[1])
        flips = self.flip(features)
        logits = torch.cat([steps.flatten(1), flips.flatten(1)], dim=1)[:, self.index]
        return logits + self.preference, self.value(features)


class Rows:
    """Positions of a dataset for the fit: decisions of the search, as others would see them."""

    def __init__(self, game: str, folder: Path, args: argparse.Namespace) -> None:
        """Opens the dataset."""
        self.positions = PositionDataset(
            folder, args.batch, seed=args.seed, buffer_size=200_000, threads=1, targets=True
        )
        self.spec = darkqi.spec(game)
        # Of a game and its images under the symmetries: planes' squares, actions.
        squares, actions = math.prod(self.spec.board_shape), self.spec.num_actions
        images = [(np.arange(squares), np.arange(actions))]
        images += [(image.squares, image.actions) for image in self.spec.symmetries]
        self.images = [
            tuple(torch.from_numpy(indices.astype(np.int64)) for indices in image)
            for image in images
        ]
        self.result_weight = args.result_weight

        # Some thousand positions suffice to watch the fit.
        unchanged = itertools.islice(self.rows(0, None, held_out=True), 50)
        self.held_out = list(unchanged)

    def training(self, seed: int) -> Iterator[tuple[Tensor, Tensor, Tensor, Tensor]]:
        """Yields batches without end, each under one of the symmetries."""
        for epoch in itertools.count(1):
            yield from self.rows(epoch, np.random.default_rng([seed, epoch]), held_out=False)

    def rows(
        self, epoch: int, rng: np.random.Generator | None, *, held_out: bool
    ) -> Iterator[tuple[Tensor, Tensor, Tensor, Tensor]]:
        """Yields observations, masks, actions and values of the mover."""
        self.positions.set_epoch(epoch)
        for batch in self.positions:
            mover = batch["player"].long()[:, None]
            value = batch["value"].gather(1, mover)
            # Random actions have no value.
            kept = (batch["game_id"] % HELD_OUT == 0) == held_out
            kept &= ~value.squeeze(1).isnan()
            if not kept.any():
                continue
            reward = batch["reward"][kept, None]
            value = (1 - self.result_weight) * value[kept] + self.result_weight * reward
            squares, actions = self.images[rng.integers(len(self.images)) if rng else 0]
            observation = batch["observation"][kept]
            observation = observation.flatten(2)[..., squares].reshape(observation.shape)
            mask, action = batch["action_mask"][kept][:, actions], batch["action"][kept]
            yield observation, mask, actions[action], value


def losses(
    net: Net, observation: Tensor, mask: Tensor, action: Tensor, value: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """Returns cross-entropy, squared error and the share of actions that are the search's."""
    logits, expected = net(observation)
    logits = logits.masked_fill(~mask, -1e9)
    cross = nn.functional.cross_entropy(logits, action)
    agreed = (logits.argmax(1) == action).float().mean()
    return cross, nn.functional.mse_loss(expected, value), agreed


class Fit:
    """A net, its average and the optimiser: what a snapshot holds."""

    def __init__(self, game: str, folder: Path, args: argparse.Namespace) -> None:
        """Begins a fit to the games of a dataset."""
        torch.manual_seed(args.seed)
        torch.set_num_threads(args.threads)
        self.data, self.seed, self.batches, self.seconds = (
            Rows(game, folder, args),
            args.seed,
            0,
            0.0,
        )
        self.net = Net(self.data.spec, args.width, args.blocks)
        if (start := GAMES[game].start) is not None:
            self.begin_with(start, args)
        # With a constant rate and an average over about the last tenth of the batches, the net is
        # ready after any number of them.
        self.average = AveragedModel(
            self.net, avg_fn=lambda mean, new, seen: torch.lerp(mean, new, 9 / (9 + int(seen)))
        )
        self.optimizer = torch.optim.AdamW(
            self.net.parameters(), args.learning_rate, weight_decay=args.decay
        )
        self.modules = {"net": self.net, "average": self.average, "optimizer": self.optimizer}

    def begin_with(self, game: str, args: argparse.Namespace) -> None:
        """Takes the weights of another game's net; planes correspond by their names."""
        saved = torch.load(args.out / f"{game}.pt", weights_only=True)["average"]
        weights = {name.removeprefix("module."): weight for name, weight in saved.items()}
        del weights["n_averaged"]
        known = dict(
            zip(darkqi.spec(game).plane_names, weights["stem.weight"].unbind(1), strict=True)
        )
        unknown = torch.zeros(args.width, 1, 1)
        planes = [known.get(name, unknown) for name in self.data.spec.plane_names]
        weights["stem.weight"] = torch.stack(planes, 1)
        own = {"scale": self.net.scale, "index": self.net.index}
        self.net.load_state_dict({**weights, **own})

    def save(self, path: Path) -> None:
        """Writes a snapshot."""
        states = {name: module.state_dict() for name, module in self.modules.items()}
        torch.save({"batches": self.batches, "seconds": self.seconds, **states}, path)

    def load(self, path: Path) -> None:
        """Goes on where a snapshot was written."""
        saved = torch.load(path, weights_only=True)
        self.batches, self.seconds = saved["batches"], saved["seconds"]
        for name, module in self.modules.items():
            module.load_state_dict(saved[name])

    def run(self, batches: int, snapshot: Path) -> None:
        """Fits until this number of batches in all, with a snapshot now and then."""
        for number, rows in enumerate(self.data.training(self.seed)):
            if number >= batches:
                break
            # The order of the rows is the same each time.
            if number < self.batches:
                continue
            start = time.process_time()
            cross, square, _ = losses(self.net, *rows)
            self.optimizer.zero_grad(set_to_none=True)
            (cross + square).backward()
            nn.utils.clip_grad_norm_(self.net.parameters(), 1.0)
            self.optimizer.step()
            self.average.update_parameters(self.net)
            self.batches += 1
            self.seconds += time.process_time() - start
            if self.batches % SNAPSHOT == 0 or self.batches == batches:
                self.save(snapshot)
                cross, square, agreed = held_out_losses(self.average, self.data)
                print(
                    f"{self.batches} batches in {self.seconds:,.0f} s of processor time; held out: "
                    f"cross-entropy {cross:.3f}, error of values {square:.4f}, "
                    f"the search's action {agreed:.3f}",
                    flush=True,
                )


@torch.inference_mode()
def held_out_losses(net: nn.Module, data: Rows) -> NDArray[np.float64]:
    """Returns the means of `losses` over positions that are held out."""
    sums = [[float(number) for number in losses(net, *rows)] for rows in data.held_out]
    return np.mean(sums, axis=0)


def halve(path: Path) -> None:
    """Stores the large tensors of an ONNX file in float16; it computes in float32 as before."""
    model = onnx.load(path)
    graph = model.graph
    casts = []
    for tensor in graph.initializer:
        if tensor.data_type == TensorProto.FLOAT and math.prod(tensor.dims) >= LEAST_HALVED:
            stored = f"{tensor.name}.float16"
            casts.append(helper.make_node("Cast", [stored], [tensor.name], to=TensorProto.FLOAT))
            numbers = numpy_helper.to_array(tensor).astype(np.float16)
            tensor.CopyFrom(numpy_helper.from_array(numbers, stored))
    for at, cast in enumerate(casts):
        graph.node.insert(at, cast)
    # What the exporter notes about the sources is longer than the net.
    del graph.value_info[:]
    for node in graph.node:
        node.ClearField("metadata_props")
        node.ClearField("doc_string")
    onnx.checker.check_model(model)
    path.write_bytes(model.SerializeToString())


def make(game: str, args: argparse.Namespace) -> None:
    """Plays the games, fits the net and writes it."""
    folder, path = args.out / game, args.out / f"{game}.onnx"
    if not path.exists():
        summary = darkqi.selfplay(
            game,
            folder,
            GAMES[game].games if args.games is None else args.games,
            agents=args.teacher,
            seed=args.seed,
            random_plies=args.random_plies,
            threads=args.threads,
            resume=True,
        )
        print(f"{game}: {summary.games:,} games, {summary.plies:,} plies", flush=True)
        fit, snapshot = Fit(game, folder, args), path.with_suffix(".pt")
        if snapshot.exists():
            fit.load(snapshot)
        fit.run(GAMES[game].batches if args.batches is None else args.batches, snapshot)
        partial = path.with_suffix(".partial")
        darkqi.onnx.export(fit.average.module, game, partial)
        halve(partial)
        partial.replace(path)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    print(f"{path}: {path.stat().st_size:,} bytes, SHA-256 {digest}", flush=True)


def main() -> None:
    """Makes the nets."""
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").partition("\n")[0],
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    add = parser.add_argument
    add("game", nargs="*", default=list(GAMES), help="games of two players")
    add("--out", type=Path, required=True, help="folder of the games and of the nets")
    add("--teacher", default="expectimax:nodes=500,epsilon=0.1", help="who plays the games")
    add("--games", type=int, help="number of games (default: by game)")
    add("--random-plies", type=int, default=4, help="random plies at the start of a game")
    add("--width", type=int, default=32, help="channels of the net")
    add("--blocks", type=int, default=3, help="residual blocks of the net")
    add("--batches", type=int, help="gradient steps (default: by game)")
    add("--batch", type=int, default=512, help="positions of a gradient step")
    add("--learning-rate", type=float, default=2e-3, help="of Adam")
    add("--decay", type=float, default=0.01, help="weight decay (AdamW)")
    add("--result-weight", type=float, default=0.25, help="weight of results against values")
    add("--threads", type=int, default=1, help="threads of games and fit")
    add("--seed", type=int, default=1, help="seed of games and fit")
    args = parser.parse_args()
    for game in args.game:
        make(game, args)


if __name__ == "__main__":
    main()
