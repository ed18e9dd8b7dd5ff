"""Write docs/lessons/ and its pictures from the texts of the app's lessons: `python docs/lessons/record.py`."""

from __future__ import annotations

from pathlib import Path

from counterplay.teaching.lessons import documentation

if __name__ == "__main__":
    for name, text in documentation().items():
        file = Path(__file__).parents[1] / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
