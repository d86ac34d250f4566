"""The pieces of a full FEN by square."""

import re

import darkqi


def pieces(state: darkqi.State) -> dict[str, str]:
    """Returns the FEN text of the piece on each occupied square."""
    board, ranks = {}, state.spec.board_shape[0]
    # The longest names come first, because a name may begin with a shorter one.
    names = sorted((n for army in state.spec.armies for n in army.piece_names), key=len)[::-1]
    symbols = re.compile(rf"\d+|~?(?:{'|'.join(names)}|.)")
    for below, rank in enumerate(state.fen().split(" ")[0].split("/")):
        file = 0
        for symbol in symbols.findall(rank):
            if symbol.isdigit():
                file += int(symbol)
            else:
                board[f"{chr(ord('a') + file)}{ranks - below}"] = symbol
                file += 1
    return board


def shown(state: darkqi.State, action: int) -> list[str]:
    """Returns the covered pieces that an action reveals or captures, in the order of squares."""
    board = pieces(state)
    squares = re.findall(r"[a-z]\d+", state.action_name(action))
    found = (board.get(square, "") for square in squares)
    return [piece[1:] for piece in found if piece.startswith("~")]
