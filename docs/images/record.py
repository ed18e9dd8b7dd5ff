"""Write docs/images/play.svg: a game of Connect Four, an animation of the pictures that the game itself draws."""

from __future__ import annotations

import re
from pathlib import Path

from counterplay.core.registry import load

MOVES = "4 4 3 3 5 5 6"
"""Three in a row, open at both ends: the next stone wins."""
SECONDS = 0.9
"""How long each position is shown."""


def animation() -> str:
    """The pictures one after another, in one file without scripts."""
    p = load("connect-four").start()
    pictures = [p.game.svg(p.state)] + [p.game.svg(p.play(move).state) for move in MOVES.split()]
    head = re.match(r"<svg[^>]*>", pictures[0])
    assert head is not None
    n = len(pictures) + 2  # the last picture stays for a while
    frames = []
    for i, picture in enumerate(pictures):
        body = re.sub(r"^<svg[^>]*>|</svg>\s*$", "", picture.strip())
        shown = 100 * i / n, 100 * (i + 1) / n if i + 1 < len(pictures) else 100
        times = f"0;{shown[0] / 100:.4f};{shown[1] / 100:.4f}"
        values = "hidden;visible;hidden" if i else "visible;visible;hidden"
        step = f'<animate attributeName="visibility" values="{values}" keyTimes="{times}" '
        step += f'dur="{n * SECONDS:g}s" calcMode="discrete" repeatCount="indefinite"/>'
        visibility = "visible" if i == len(pictures) - 1 else "hidden"  # where nothing moves, the end is shown
        frames.append(f'<g visibility="{visibility}">{body}{step}</g>')
    return head[0] + "".join(frames) + "</svg>\n"


if __name__ == "__main__":
    (Path(__file__).parent / "play.svg").write_text(animation())
