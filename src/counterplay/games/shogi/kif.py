"""KIF, the format in which Japanese programs store games of shogi: Japanese notation, one move per line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from counterplay.core.errors import CounterplayError, InvalidPosition
from counterplay.core.formats.text import shorten
from counterplay.core.playthrough import Playthrough
from counterplay.games.shogi import sfen
from counterplay.games.shogi.notation import FILES_WIDE, KANJI, RANKS_KANJI, SYNONYMS, japanese
from counterplay.games.shogi.position import State, held, target_of
from counterplay.games.shogi.records import ShogiRecord, played, winner, won_by

if TYPE_CHECKING:
    from counterplay.games.shogi.game import Shogi

HEAD = re.compile(r"#.*KIF|# ----|\S+：|手数----|\s*[|+].*|\s*1\s+\S*\([0-9]{2}\)")
"""Lines that identify a KIF file, one of which is near its beginning."""
BEGINNING = "# KIF version=2.0 encoding=UTF-8"
MOVE = re.compile(r"\s*([0-9]+)\s+(同?[\s　]*[^\s(（]+(?:\([0-9]{2}\))?)")
RESIGNED = ("投了", "詰み", "切れ負け", "時間切れ", "反則負け")
"""Endings that the side to move has lost."""
DRAWN = ("千日手", "持将棋")
WON = ("入玉勝ち", "反則勝ち")
"""Endings that the side to move has won."""
OTHER_ENDS = ("中断", "封じ手", "不詰", "不戦敗")
NUMBERS = ("", "一", "二", "三", "四", "五", "六", "七", "八", "九", "十")
HANDICAPS = {
    "平手": "lnsgkgsnl/1r5b1/ppppppppp b",
    "香落ち": "lnsgkgsn1/1r5b1/ppppppppp w",
    "右香落ち": "1nsgkgsnl/1r5b1/ppppppppp w",
    "角落ち": "lnsgkgsnl/1r7/ppppppppp w",
    "飛車落ち": "lnsgkgsnl/7b1/ppppppppp w",
    "飛香落ち": "lnsgkgsn1/7b1/ppppppppp w",
    "二枚落ち": "lnsgkgsnl/9/ppppppppp w",
    "四枚落ち": "1nsgkgsn1/9/ppppppppp w",
    "六枚落ち": "2sgkgs2/9/ppppppppp w",
    "八枚落ち": "3gkg3/9/ppppppppp w",
    "十枚落ち": "4k4/9/ppppppppp w",
}
"""The pieces that White gives up at the start; White then moves first."""


def handicap(name: str) -> str:
    """The SFEN of a handicap start."""
    board, _, side = HANDICAPS[name].partition(" ")
    return f"{board}/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL {side} - 1"


# Reading.


def split_games(lines: Iterable[str]) -> Iterator[list[str]]:
    """The lines of each game: a header after moves begins the next one."""
    found: list[str] = []
    moved = False
    for line in lines:
        if moved and (line.startswith("#") or re.match(r"(?:手合割|開始日時|棋戦|先手|後手|下手|上手)：", line)):
            yield found
            found, moved = [], False
        found.append(line)
        moved = moved or bool(MOVE.match(line))
    if any(line.strip() for line in found):
        yield found


def read_kif(game: Shogi, lines: list[str]) -> ShogiRecord:
    """One game; its variations (変化) are left out."""
    tags: dict[str, str] = {}
    diagram: list[str] = []
    moves: list[str] = []
    ended, side = "", ""
    for line in lines:
        text = line.strip()
        if text.startswith("変化"):
            break
        if line.startswith(("|", "+")):
            diagram.append(line)
        elif text in ("後手番", "上手番", "先手番", "下手番"):
            side = "w" if text[0] in "後上" else "b"
        elif (found := re.match(r"([^\s：]+)：(.*)", line)) and not moves:
            tags[found[1]] = found[2].strip()
        elif (found := MOVE.match(line)) and not ended:
            word = found[2].split("(")[0].split()[0]
            if word in RESIGNED + DRAWN + WON + OTHER_ENDS:
                ended = word
            else:
                moves.append(re.sub(r"[\s　]", "", found[2]))
    p = game.start(position=start_of(game, tags, diagram, side))
    for text in moves:
        word = text
        if text.startswith("同"):
            if not p.actions:
                raise CounterplayError(f"{shorten(text)!r} means the square of the last move, but there is none")
            word = square_text(game, target_of(p.actions[-1])) + text[1:]
        played(p, word, text)
    return ShogiRecord(p, tags, returns_of(p, ended))


def returns_of(p: Playthrough, ended: str) -> tuple[float, ...] | None:
    """The payoffs of Black and White: by the rules, or as the record says."""
    if p.is_over:
        return p.returns
    mover = p.game.to_move(p.state)
    if ended in RESIGNED:
        return won_by(1 - mover)
    if ended in WON:
        return won_by(mover)
    return (0.0, 0.0) if ended in DRAWN else None


def start_of(game: Shogi, tags: Mapping[str, str], diagram: list[str], side: str) -> str | None:
    """The SFEN of the start of a game, None for the usual start."""
    if not diagram:
        name = tags.get("手合割", "平手").strip("　 ")
        if name == "平手" or game.size != 9:
            return None
        if name not in HANDICAPS:
            raise CounterplayError(f"the handicap {shorten(name)!r} is unknown; they are {', '.join(HANDICAPS)}")
        return handicap(name)
    ranks = [read_rank(line) for line in diagram if line.startswith("|")]
    hands = [
        read_hand(tags.get(f"{a}の持駒", tags.get(f"{b}の持駒", ""))) for a, b in (("先手", "下手"), ("後手", "上手"))
    ]
    text = hands[0] + hands[1].lower()
    return f"{'/'.join(ranks)} {side or 'b'} {text or '-'} 1"


def read_rank(line: str) -> str:
    """A rank of a diagram as SFEN."""
    inside = line[1:].partition("|")[0]
    signs = {kanji if len(kanji) == 1 else SHORT[kanji]: code for code, kanji in KANJI.items()}
    text, at = "", 0
    while at < len(inside):
        before, sign = inside[at], inside[at + 1 : at + 2]
        whole = SYNONYMS.get(sign, sign)
        code = signs.get(SHORT.get(whole, whole))
        if sign in ("・", ""):
            text += "1"
        elif code is None:
            raise InvalidPosition(f"{sign!r} in the diagram's line {shorten(line)!r} is not a piece")
        else:
            text += code.lower() if before in "vV" else code
        at += 2
    return text


SHORT = {"成香": "杏", "成桂": "圭", "成銀": "全"}


def read_hand(text: str) -> str:
    """A hand such as 飛　歩十二 as SFEN."""
    found = ""
    codes = {kanji: code for code, kanji in KANJI.items()}
    for word in re.split(r"[\s　]+", text.strip()):
        if word in ("", "なし"):
            continue
        tens, _, units = word[1:].rpartition("十")
        known = word[0] in codes and units in NUMBERS[:10] and tens in NUMBERS[:10]
        if not known:
            raise InvalidPosition(f"{shorten(word)!r} cannot be in hand: write a piece and its number, such as 歩三")
        number = NUMBERS.index(units) + (10 * (NUMBERS.index(tens) or 1) if "十" in word else 0)
        found += f"{number or 1}{codes[word[0]]}"
    return found


def square_text(game: Shogi, square: int) -> str:
    """A square in Japanese."""
    return f"{FILES_WIDE[square // game.size]}{RANKS_KANJI[square % game.size]}"


# Writing.


def write_kif(p: Playthrough, names: Sequence[str], returns: Sequence[float] | None, tags: Mapping[str, str]) -> str:
    """A playthrough as KIF; `returns` if someone forfeited."""
    game: Shogi = p.game  # type: ignore[assignment]
    lines = [BEGINNING]
    for name, tag in (("棋戦", "Event"), ("開始日時", "Date")):
        if tag in tags:
            lines.append(f"{name}：{tags[tag].replace('-', '/')}")
    start: State = p.states[0]
    lines += ["手合割：平手"] if start == game.initial() else diagram_lines(game, start)
    lines += [f"先手：{names[0]}", f"後手：{names[1]}", "手数----指手---------消費時間--"]
    before = None
    for i, action in enumerate(p.actions, 1):
        lines.append(f"{i:4} {japanese(game, action, before)}")
        before = target_of(action)
    lines.append(f"{len(p) + 1:4} {end_word(p, returns)}")
    return "\n".join(lines) + "\n"


def end_word(p: Playthrough, returns: Sequence[float] | None) -> str:
    """How a playthrough ended."""
    won = winner(returns or p.returns)
    if won is None:
        return "千日手" if p.is_over else "中断"
    mover = p.game.to_move(p.state)
    return "投了" if won != mover else "入玉勝ち" if p.is_over and p.game.is_terminal(p.state) else "反則勝ち"


def diagram_lines(game: Shogi, s: State) -> list[str]:
    """A position as a diagram (BOD)."""
    hands = [hand_text(hand) for hand in sfen.hands(s)]
    size = game.size
    edge = f"+{'-' * 3 * size}+"
    lines = [f"後手の持駒：{hands[1]}", " " + "".join(f" {FILES_WIDE[size - 1 - c]}" for c in range(size)), edge]
    for r, row in enumerate(sfen.rows(game, s)):
        signs = []
        for sign in row:
            kanji = KANJI.get(sign.upper(), "")
            signs.append(" ・" if sign == "." else ("v" if sign[-1].islower() else " ") + SHORT.get(kanji, kanji))
        lines.append(f"|{''.join(signs)}|{RANKS_KANJI[r]}")
    return [*lines, edge, f"先手の持駒：{hands[0]}", "後手番" if s.ply % 2 else "先手番"]


def hand_text(hand: int) -> str:
    """A hand in Japanese."""
    words = []
    for letter in sfen.IN_HAND:
        number = held(hand, sfen.LETTERS.index(letter))
        if number:
            count = ("十" + NUMBERS[number - 10] if number > 9 else NUMBERS[number]) if number > 1 else ""
            words.append(KANJI[letter] + count)
    return "　".join(words) or "なし"
