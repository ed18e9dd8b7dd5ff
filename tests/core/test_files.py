"""Files written whole: what a killed writer left is removed, and the disk has the content before the name."""

import os

from counterplay.core.formats.files import STALE, write_whole


def test_what_a_killed_writer_left_is_removed_and_what_another_writes_is_not(tmp_path):
    old, new, other = (tmp_path / name for name in (".a[1].npz.11.part", ".a[1].npz.12.part", ".b.npz.13.part"))
    for part in (old, new, other):
        part.write_text("half")
    for part in (old, other):
        os.utime(part, (0, part.stat().st_mtime - 2 * STALE))
    write_whole(tmp_path / "a[1].npz", "whole")
    assert sorted(each.name for each in tmp_path.iterdir()) == [new.name, other.name, "a[1].npz"]
    assert (tmp_path / "a[1].npz").read_text() == "whole"


def test_the_content_is_on_disk_before_the_name(tmp_path, monkeypatch):
    done, replace = [], os.replace
    monkeypatch.setattr(os, "fsync", lambda number: done.append(os.fstat(number).st_size))
    monkeypatch.setattr(os, "replace", lambda old, new: done.append("named") or replace(old, new))
    write_whole(tmp_path / "a", "whole")
    assert done == [5, "named"]
