"""Nets as agents: export from PyTorch, and the library that computes them.

``onnx:FILE`` is an agent wherever agents have names: in ``darkqi.selfplay``, ``darkqi.arena``,
``darkqi.make(opponent=...)`` and on the command line. It needs the library of ONNX Runtime, which
the extra ``onnx`` brings. A ``darkqi`` that is not the package's finds it by ``ORT_DYLIB_PATH``:

    export ORT_DYLIB_PATH=$(python -m darkqi.onnx)
"""

import contextlib
import copy
import importlib.util
import inspect
import logging
import sys
from collections.abc import Iterator
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import darkqi
from darkqi._darkqi import write_output
from darkqi._options import row_shape

if TYPE_CHECKING:
    import torch

__all__ = ["export", "library"]

# The names of the library on Linux, macOS and Windows.
_LIBRARIES = ("libonnxruntime.so*", "libonnxruntime*.dylib", "onnxruntime.dll")


def library() -> Path | None:
    """Finds the library of ONNX Runtime in Python's package ``onnxruntime``, without importing it.

    Returns:
        The path of the library, or None if the package is not installed.
    """
    package = importlib.util.find_spec("onnxruntime")
    for folder in (package and package.submodule_search_locations) or []:
        for pattern in _LIBRARIES:
            for path in sorted((Path(folder) / "capi").glob(pattern)):
                return path
    return None


def export(
    module: "torch.nn.Module",
    game: str,
    path: str | PathLike[str],
    *,
    observation: Literal["planes", "tokens"] = "planes",
    **options: int | str,
) -> None:
    """Writes a PyTorch module as an ONNX file that the agent ``onnx:FILE`` plays.

    The file keeps the number of rows open. It is written on the CPU and in evaluation mode; the
    module is left as it was.

    Args:
        module: It takes an observation (N, C, H, W) or (N, T) as uint8, as ``darkqi.make`` gives
            them, and, if ``forward`` has a second parameter, the mask (N, A) as bool. It returns
            logits (N, A), or logits and values: (N, P) by seat, or (N, 1) or (N,) for the mover.
            Logits of illegal actions do not matter.
        game: One of ``darkqi.games()``.
        path: The file to write. A file that exists is replaced; a pipe or a device is written to.
        observation: What the module reads, "planes" or "tokens".
        **options: Rule options, which may change the number of seats.

    Raises:
        ValueError: The outputs have other shapes.
        TypeError: It is no module, or the outputs are no tensors of float32.
        OSError: The file cannot be written, or belongs to a dataset.
        ImportError: PyTorch, ``onnx`` or ``onnxscript`` is missing.
    """
    import torch

    if not isinstance(module, torch.nn.Module):
        raise TypeError(f"module: expected a torch.nn.Module, got {type(module).__name__}")
    spec = darkqi.spec(game, **options)
    shape = row_shape(spec, observation)
    parameters = [
        parameter
        for parameter in inspect.signature(module.forward).parameters.values()
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
    ]
    rows = 2
    example = [
        torch.zeros((rows, *shape), dtype=torch.uint8),
        torch.ones((rows, spec.num_actions), dtype=torch.bool),
    ][: len(parameters)]
    names = ["observation", "action_mask"][: len(parameters)]

    # A copy, so that the module stays where it is and as it is.
    module = copy.deepcopy(module).cpu().eval()
    with torch.no_grad():
        outputs = module(*example)
    outputs = outputs if isinstance(outputs, tuple) else (outputs,)
    _check(outputs, rows, spec)
    # The first input names the number of rows. A second one that did would be warned of.
    dims = [torch.export.Dim("batch", min=1), torch.export.Dim.DYNAMIC]
    with _errors_alone("torch.onnx", "onnx_ir"):
        program = torch.onnx.export(
            module,
            tuple(example),
            input_names=names,
            output_names=["policy", "value"][: len(outputs)],
            dynamic_shapes=tuple({0: dim} for dim in dims[: len(example)]),
            dynamo=True,
            verbose=False,
        )
    write_output(path, program.model_proto.SerializeToString())


@contextlib.contextmanager
def _errors_alone(*names: str) -> Iterator[None]:
    """Keeps warnings of loggers back: they tell of what the author of a module cannot change."""
    loggers = [logging.getLogger(name) for name in names]
    before = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        for logger, level in zip(loggers, before, strict=True):
            logger.setLevel(level)


def _check(outputs: tuple[Any, ...], rows: int, spec: darkqi.Spec) -> None:
    """Checks the types and shapes of logits and values."""
    import torch

    expected: list[list[tuple[int, ...]]] = [
        [(rows, spec.num_actions)],
        [(rows, spec.num_players), (rows, 1), (rows,)],
    ]
    if len(outputs) > len(expected):
        raise ValueError(
            f"module: expected logits, or logits and values, got {len(outputs)} outputs"
        )
    for name, output, shapes in zip(("logits", "values"), outputs, expected, strict=False):
        if not isinstance(output, torch.Tensor) or output.dtype != torch.float32:
            kind = output.dtype if isinstance(output, torch.Tensor) else type(output).__name__
            raise TypeError(f"module: expected {name} in float32, got {kind}")
        found = tuple(output.shape)
        if found not in shapes:
            wanted = " or ".join(str(shape) for shape in shapes)
            raise ValueError(f"module: expected {name} of shape {wanted}, got {found}")


if __name__ == "__main__":
    if (path := library()) is None:
        sys.exit("onnxruntime is not installed: pip install 'darkqi[onnx]'")
    print(path)
