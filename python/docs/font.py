"""Makes the font of pictures anew: ASCII and the characters of all games, of Noto Serif CJK TC.

Needs fontTools and Debian's package fonts-noto-cjk. Run it in the project's folder when a game
brings new characters::

    pip install fonttools
    python python/docs/font.py
"""

import re
from pathlib import Path

from fontTools.subset import main  # type: ignore[import-not-found]

FONT = "/usr/share/fonts/opentype/noto/NotoSerifCJK-Bold.ttc"
TAIWANESE = 3
SOURCES = ("env/src", "tests/seventh_game")


def characters() -> str:
    """Returns the Chinese characters in the sources of games."""
    texts = (path.read_text() for folder in SOURCES for path in Path(folder).rglob("*.rs"))
    return "".join(
        sorted({found for text in texts for found in re.findall("[\u4e00-\u9fff]", text)})
    )


if __name__ == "__main__":
    main(
        [
            FONT,
            f"--font-number={TAIWANESE}",
            f"--text={characters()}",
            "--unicodes=U+0020-007E",
            "--output-file=env/pictures/font/board.otf",
            "--layout-features=",
            "--no-hinting",
            "--desubroutinize",
            # The names that a font must have, and its licence.
            "--name-IDs=0,1,2,4,6,13,14",
            "--drop-tables+=vhea,vmtx,VORG,BASE,GDEF,GPOS,GSUB",
        ]
    )
