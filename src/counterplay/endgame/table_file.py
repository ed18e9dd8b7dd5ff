"""Files of tables: a JSON header, then columns of numbers in compressed blocks.

    counterplay-table 1 HEAD CHECKSUM\\n   the length of the head in bytes, and its CRC-32 in hexadecimal
    {"game": ..., "columns": ..., "blocks": [[offset, length, checksum], ...]}
    block block block ...                 each zlib's, of `rows` rows, column after column

A file is mapped into memory and unpacked block by block on demand, so one probe reads one block, and processes share
what the system has read. Files are written atomically. Nothing in a file is ever executed.
"""

from __future__ import annotations

import functools
import json
import math
import mmap
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from counterplay.core.errors import CounterplayError
from counterplay.core.formats.files import write_whole

MAGIC, VERSION, SUFFIX = "counterplay-table", 1, ".table"
ROWS = 1 << 16
"""Rows of a block."""
LEVEL = 4
"""zlib's compression level."""
KINDS = ("|u1", "<u2", "<i2", "<i8", "<f8")
"""The number types that a column may have."""
SUMMARY = {"class", "to_move", "positions", "won", "drawn", "lost", "longest"}
"""What the header says about each side to move."""
KEPT = 64
"""Blocks that stay unpacked."""


def write_table(file: Path, head: Mapping[str, Any], columns: Mapping[str, np.ndarray]) -> None:
    """Write a table atomically. A column is an array with a row for each position."""
    count = len(next(iter(columns.values())))
    kinds = {name: [column.dtype.str, math.prod(column.shape[1:])] for name, column in columns.items()}
    blocks, parts, offset = [], [], 0
    for start in range(0, count, ROWS):
        raw = b"".join(_packed(column[start : start + ROWS]) for column in columns.values())
        block = zlib.compress(raw, LEVEL)
        blocks.append([offset, len(block), zlib.crc32(block)])
        parts.append(block)
        offset += len(block)
    told = json.dumps({**head, "positions": count, "rows": ROWS, "columns": kinds, "blocks": blocks}).encode()
    first = f"{MAGIC} {VERSION} {len(told)} {zlib.crc32(told):08x}\n".encode()
    write_whole(file, b"".join([first, told, b"\n", *parts]))


def _packed(rows: np.ndarray) -> bytes:
    """Rows of a block as bytes; 64-bit integers, which are sorted, as their differences, byte by byte."""
    if rows.dtype.str != "<i8":
        return rows.tobytes()
    steps = np.diff(rows, axis=0, prepend=np.zeros_like(rows[:1]))
    return np.ascontiguousarray(np.ascontiguousarray(steps).view(np.uint8).reshape(-1, 8).T).tobytes()


def _unpacked(raw: bytes, kind: str, shape: tuple[int, int]) -> np.ndarray:
    if kind != "<i8":
        return np.frombuffer(raw, kind).reshape(shape)
    planes = np.frombuffer(raw, np.uint8).reshape(8, -1)
    return np.cumsum(np.ascontiguousarray(planes.T).view(np.int64).reshape(shape), axis=0)


def is_summary(row: Any) -> bool:
    """Whether a row has the form of a row of a header's summary."""
    if not isinstance(row, dict) or row.keys() != SUMMARY:
        return False
    numbers = all(type(row[name]) is int for name in ("positions", "won", "drawn", "lost"))
    texts = isinstance(row["class"], str) and isinstance(row["to_move"], str)
    return numbers and texts and (row["longest"] is None or type(row["longest"]) is int)


class TableFile:
    """A table on disk."""

    def __init__(self, file: Path) -> None:
        self.file = file
        try:
            with file.open("rb") as opened:
                self.memory = mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ)
        except OSError as wrong:
            raise CounterplayError(f"cannot read {str(file)!r}: {(wrong.strerror or str(wrong)).lower()}") from None
        except ValueError:  # an empty file
            raise self.damaged() from None
        self.head, self.start = self.read_head()
        if len(self.memory) != self.start + sum(length for _, length, _ in self.head["blocks"]):
            raise self.damaged()

    def read_head(self) -> tuple[dict[str, Any], int]:
        """The header, and where the blocks begin."""
        words = self.memory[:80].partition(b"\n")[0].split(b" ")
        if words[:1] != [MAGIC.encode()]:
            raise CounterplayError(f"{str(self.file)!r} is not a table; `tables build` writes them")
        if words[1:2] != [str(VERSION).encode()]:
            version = words[1][:12].decode(errors="replace") if len(words) > 1 else ""
            raise CounterplayError(f"{str(self.file)!r} is a table of version {version}; this program reads {VERSION}")
        try:
            length, checksum = int(words[2]), int(words[3], 16)
            start = len(b" ".join(words)) + 1
            told = self.memory[start : start + length]
            if zlib.crc32(told) != checksum:
                raise self.damaged()
            head = json.loads(told)
            self.require_head(head)
        except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError):
            raise self.damaged() from None
        return head, start + length + 1

    def require_head(self, head: dict[str, Any]) -> None:
        """Raise ValueError for an impossible header."""
        count, rows = head["positions"], head["rows"]
        told = isinstance(head["game"], str) and isinstance(head["class"], str)
        told = told and all(map(is_summary, head["summary"]))
        whole = all(
            type(number) is int for number in (count, rows, *(each for block in head["blocks"] for each in block))
        )
        whole = whole and all(len(block) == 3 and block[1] > 0 for block in head["blocks"])
        known = all(kind in KINDS and 0 < width < 1 << 16 for kind, width in head["columns"].values())
        if not (told and whole and known and rows > 0 and len(head["blocks"]) == -(-count // rows)):
            raise ValueError

    def damaged(self) -> CounterplayError:
        """The error for a file that is not as it was written."""
        return CounterplayError(f"{str(self.file)!r} is damaged or incomplete; delete it and run `tables build` again")

    def column(self, name: str) -> np.ndarray:
        """A whole column."""
        kind, width = self.head["columns"][name]
        parts = [self.unpack(number)[name] for number in range(len(self.head["blocks"]))]
        empty = np.empty((0, width), kind)
        return np.concatenate([empty, *parts])

    @functools.lru_cache(KEPT)  # noqa: B019 (a file lives as long as it is read)
    def block(self, number: int) -> dict[str, np.ndarray]:
        """The columns of one block, which stays in memory for a while."""
        return self.unpack(number)

    def unpack(self, number: int) -> dict[str, np.ndarray]:
        """The columns of one block."""
        offset, length, checksum = self.head["blocks"][number]
        packed = self.memory[self.start + offset : self.start + offset + length]
        count = min(self.head["rows"], self.head["positions"] - number * self.head["rows"])
        size = count * sum(np.dtype(kind).itemsize * width for kind, width in self.head["columns"].values())
        if zlib.crc32(packed) != checksum:
            raise self.damaged()
        unpacker = zlib.decompressobj()
        raw = unpacker.decompress(packed, size + 1)
        if len(raw) != size:
            raise self.damaged()
        found, at = {}, 0
        for name, (kind, width) in self.head["columns"].items():
            bytes_here = count * width * np.dtype(kind).itemsize
            found[name] = _unpacked(raw[at : at + bytes_here], kind, (count, width))
            at += bytes_here
        return found
