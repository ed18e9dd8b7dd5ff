"""Damage to files: to their bytes, to their lines, and to their structure, if they have one."""

from __future__ import annotations

import contextlib
import io
import json
import random
import sqlite3
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np

NASTY = (
    "0",
    "-1",
    "1e999",
    "nan",
    "NaN",
    "99999999999999999999",
    "null",
    "[]",
    "{}",
    '""',
    "true",
    "1/0",
    "-1/3",
    "[" * 3000,
    "é",
    "\x00",
    "\ufeff",
    '"',
    "{",
    "}",
    "(",
    ")",
    ";",
    "\\",
    "[]",
    "0x1",
    "1.5",
    "Infinity",
    "-Infinity",
    " " * 1000,
    "[[[[1]]]]",
    "-0.0",
)
VALUES = (
    None,
    0,
    -1,
    1,
    2,
    10**18,
    10**30,
    1.5,
    float("nan"),
    float("inf"),
    "",
    "x",
    "nim",
    "race.py",
    [],
    {},
    [1],
    {"a": 1},
    True,
    "é\x00",
    [[]],
)


def damaged(name: str, data: bytes, rng: random.Random) -> bytes:
    """A damaged copy of a file."""
    if name.endswith(".npz") and rng.random() < 0.7:
        return within_archive(data, rng)
    if name.endswith(".table") and rng.random() < 0.7:
        return within_table(data, rng)
    if name.endswith(".db") and rng.random() < 0.7:
        return within_database(data, rng)
    if name.endswith((".json", ".jsonl", ".book")) and rng.random() < 0.7:
        return within_json(data, rng)
    if not name.endswith((".npz", ".table", ".db", ".bin")) and rng.random() < 0.6:
        return within_text(data.decode(errors="replace"), rng).encode(errors="replace")
    kind, at = rng.randrange(6), rng.randrange(len(data) + 1)
    size = rng.choice((1, 1, 2, 8, 64, 1000))
    if kind == 0:
        return data[:at]
    if kind == 1:
        return data[:at] + rng.randbytes(size) + data[at + size :]
    if kind == 2:
        return data[:at] + data[at + size :]
    if kind == 3:
        return data[:at] + rng.randbytes(size) + data[at:]
    if kind == 4:
        return data[at:] + data[:at]
    return rng.choice((b"", b"\x00" * 100, rng.randbytes(300), data + data, data[::-1]))


def within_text(text: str, rng: random.Random) -> str:
    """A word or a line of a text changed."""
    kind = rng.randrange(4)
    if kind == 0:
        lines = text.splitlines(keepends=True)
        i, j = rng.randrange(len(lines) + 1), rng.randrange(len(lines) + 1)
        return "".join(lines[:i] + lines[j:])
    if kind == 1:
        lines = text.splitlines(keepends=True)
        rng.shuffle(lines)
        return "".join(lines)
    words = text.split(" ")
    i = rng.randrange(len(words))
    words[i] = rng.choice((*NASTY, rng.choice(words)))
    return " ".join(words)


def within_json(data: bytes, rng: random.Random) -> bytes:
    """A value changed, or a key removed."""
    try:
        lines = (
            [json.loads(line) for line in data.splitlines()]
            if data.count(b"\n") > 1 and data[:1] == b"{" and b"\n{" in data
            else None
        )
        whole = lines if lines is not None else json.loads(data)
    except (ValueError, RecursionError):
        return data[: len(data) // 2]
    changed = changed_value(whole, rng)
    text = (
        "".join(json.dumps(line) + "\n" for line in changed)
        if lines is not None and isinstance(changed, list)
        else json.dumps(changed)
    )
    return text.encode(errors="replace")


def changed_value(value: Any, rng: random.Random, depth: int = 0) -> Any:
    """A JSON value with one change somewhere in it."""
    if isinstance(value, dict) and value and rng.random() < 0.85:
        key = rng.choice(list(value))
        if rng.random() < 0.2:
            return {k: v for k, v in value.items() if k != key} | ({"extra": 1} if rng.random() < 0.5 else {})
        return value | {key: changed_value(value[key], rng, depth + 1)}
    if isinstance(value, list) and value and rng.random() < 0.85:
        i = rng.randrange(len(value))
        if rng.random() < 0.2:
            return value[:i] + value[i + 1 :]
        return [*value[:i], changed_value(value[i], rng, depth + 1), *value[i + 1 :]]
    return rng.choice(VALUES)


def within_archive(data: bytes, rng: random.Random) -> bytes:
    """An archive with another head or other arrays, in a valid file."""
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
    except Exception:
        return data[: len(data) // 2]
    name = rng.choice(["head", *arrays])
    if name == "head" and "head" in arrays:
        try:
            head = changed_value(json.loads(arrays["head"].tobytes()), rng)
            arrays["head"] = np.frombuffer(json.dumps(head).encode(errors="replace"), np.uint8)
        except (ValueError, RecursionError):
            pass
    else:
        arrays[name] = changed_array(arrays[name], rng)
        if rng.random() < 0.1:
            del arrays[name]
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as made:
        for each, part in arrays.items():
            member = io.BytesIO()
            np.lib.format.write_array(member, np.asanyarray(part), allow_pickle=False)
            made.writestr(each + ".npy", member.getvalue())
    return content.getvalue()


def changed_array(array: Any, rng: random.Random) -> Any:
    """An array of another shape, type or content."""
    kind = rng.randrange(7)
    if kind == 0:
        return array.reshape(-1)[: rng.randrange(array.size + 1)]
    if kind == 1:
        return array.reshape(1, *array.shape)
    if kind == 2:
        return np.concatenate([array.reshape(-1)] * 2)
    if kind == 3 and array.dtype.kind in "iufb":
        return array.astype(rng.choice(("f8", "f4", "i8", "u1", "c16", "U3", "S4", "f2", "b")))
    if kind == 4 and array.dtype.kind == "f":
        return np.full_like(array, rng.choice((np.nan, np.inf, -np.inf, 1e30, -1.0, 0.0)))
    if kind == 5 and array.dtype.kind in "iu" and array.size:
        array = array.copy()
        limits = np.iinfo(array.dtype)
        array.reshape(-1)[rng.randrange(array.size)] = rng.choice((limits.min, limits.max, 0, 7))
        return array
    return np.array(rng.choice((0, 1.5, "x", b"y", True)))


def within_table(data: bytes, rng: random.Random) -> bytes:
    """A table with another head and the right checksum."""
    first, _, rest = data.partition(b"\n")
    try:
        magic, version, length, _ = first.split(b" ")
        head = json.dumps(changed_value(json.loads(rest[: int(length)]), rng)).encode()
    except (ValueError, RecursionError):
        return data[: len(data) // 2]
    told = b"%b %b %d %08x\n" % (magic, version, len(head), zlib.crc32(head))
    return told + head + rest[int(length) :]


def within_database(data: bytes, rng: random.Random) -> bytes:
    """A results file with another value, another table or another schema."""
    Path("within.db").write_bytes(data)
    try:
        with contextlib.closing(sqlite3.connect("within.db")) as db:
            tables = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            if not tables:
                return data
            table = rng.choice(tables)
            columns = [row[1] for row in db.execute(f"PRAGMA table_info({table})")]
            kind = rng.randrange(8)
            if kind == 0:
                db.execute(f"DROP TABLE {table}")
            elif kind == 1:
                db.execute(
                    f"DELETE FROM {table} WHERE rowid % 2" if table != "seats" else "DELETE FROM seats WHERE seat = 1"
                )
            elif kind == 2:
                db.execute(f"ALTER TABLE {table} RENAME COLUMN {rng.choice(columns)} TO other")
            elif kind == 3 and table == "event":
                (plan,) = db.execute("SELECT value FROM event WHERE key = 'plan'").fetchone()
                changed = json.dumps(changed_value(json.loads(plan), rng))
                db.execute("UPDATE event SET value = ? WHERE key = 'plan'", (changed,))
            else:
                new = rng.choice(
                    (
                        None,
                        0,
                        -1,
                        1,
                        7,
                        2**62,
                        1.5,
                        float("inf"),
                        "",
                        "x",
                        b"\x00\xff",
                        "a1 a1",
                        "[[1]]",
                        "[]",
                        "é",
                        "nim",
                    )
                )
                column = rng.choice(columns)
                some = f"{rng.choice(columns)} IN (SELECT {columns[0]} FROM {table} LIMIT 3)"
                db.execute(f"UPDATE {table} SET {column} = ? WHERE {some}", (new,))
            db.commit()
        return Path("within.db").read_bytes()
    except sqlite3.Error:
        return data[: rng.randrange(len(data) + 1)]
    finally:
        Path("within.db").unlink(missing_ok=True)
