"""Pages of text and pictures as a PDF, written by hand: vector graphics, and the fonts that every reader has.

Pictures are SVG texts of the shapes that svg.py makes (rectangles, circles, lines, polygons, words) and nothing else.
"""

from __future__ import annotations

import re
from xml.etree import ElementTree

WIDTH, HEIGHT = 595.0, 842.0
"""A4, in points."""

# Widths of Helvetica's characters from the space to the tilde, in thousandths of the size (Adobe's font metrics).
WIDTHS = (
    *(278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278),
    *([556] * 10),
    *(278, 278, 584, 584, 584, 556, 1015),
    *(667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833),
    *(722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611),
    *(278, 278, 278, 469, 556, 333),
    *(556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833),
    *(556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500),
    *(334, 260, 334, 584),
)
BOLDER = 1.06
"""How much wider bold words are, approximately."""
SYMBOLS = {"∞": 0xA5, "≥": 0xB3, "≤": 0xA3, "√": 0xD6, "α": 0x61, "β": 0x62}
"""Signs that only the Symbol font has, and their codes in it."""
FONTS = ("Helvetica", "Helvetica-Bold", "Symbol")
PLAIN, BOLD, SYMBOL = range(3)
NAMED = {"white": "#fff", "black": "#000"}


def width_of(text: str, size: float, bold: bool = False) -> float:
    """How wide a text is, in points."""
    units = sum(WIDTHS[ord(c) - 32] if " " <= c <= "~" else 600 for c in text)
    return units * size / 1000 * (BOLDER if bold else 1)


def wrapped(text: str, size: float, width: float) -> list[str]:
    """A text in lines that fit into a width."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if width_of(longer, size) > width and lines[-1]:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


class PdfPage:
    """A sheet of paper; y counts from the top."""

    def __init__(self) -> None:
        self.content: list[str] = []

    def text(self, x: float, y: float, words: str, size: float = 10, bold: bool = False, fill: str = "#000") -> None:
        """Words from (x, y), the left end of their baseline."""
        parts = [f"{paint(fill)} rg BT 1 0 0 1 {x:.2f} {HEIGHT - y:.2f} Tm"]
        for run in re.findall(f"[{''.join(SYMBOLS)}]+|[^{''.join(SYMBOLS)}]+", words):
            special = run[0] in SYMBOLS
            font = SYMBOL if special else BOLD if bold else PLAIN
            codes = (
                bytes(SYMBOLS[c] for c in run)
                if special
                else run.replace("\N{MINUS SIGN}", "-").encode("cp1252", "replace")
            )
            parts.append(f"/F{font} {size:g} Tf <{codes.hex()}> Tj")
        self.content.append(" ".join([*parts, "ET"]))

    def line(self, x1: float, y1: float, x2: float, y2: float, stroke: str = "#000", width: float = 0.6) -> None:
        """A line."""
        self.content.append(
            f"{paint(stroke)} RG {width:.2f} w {x1:.2f} {HEIGHT - y1:.2f} m {x2:.2f} {HEIGHT - y2:.2f} l S"
        )

    def picture(self, svg: str, x: float, y: float, scale: float) -> None:
        """A picture with its upper left corner at (x, y)."""
        self._part(ElementTree.fromstring(svg), x, y, scale)

    def _part(self, part: ElementTree.Element, x: float, y: float, scale: float) -> None:
        """A shape, or all of a group, which can be moved as a whole."""
        kind = part.tag.rpartition("}")[2]
        if kind == "text":
            self._word(part, x, y, scale)
        elif kind in OUTLINES:
            self._shape(OUTLINES[kind](part), part, x, y, scale)
        elif kind in ("svg", "g"):
            moved = re.fullmatch(r"translate\(([-\d.]+) ([-\d.]+)\)", part.get("transform", "translate(0 0)"))
            if moved is None:
                raise ValueError(f"no way to put {part.get('transform')!r} into a PDF")
            for each in part:
                self._part(each, x + scale * float(moved[1]), y + scale * float(moved[2]), scale)
        elif kind != "title":
            raise ValueError(f"no way to put <{kind}> into a PDF")

    def _word(self, shape: ElementTree.Element, x: float, y: float, scale: float) -> None:
        words, size = shape.text or "", scale * float(shape.get("font-size", 16))
        bold = shape.get("font-weight") in ("bold", "700")
        shift = {"middle": 0.5, "end": 1.0}.get(shape.get("text-anchor", ""), 0.0) * width_of(words, size, bold)
        drop = 0.35 * size if shape.get("dominant-baseline") == "central" else 0.0
        if shape.get("stroke") is None:  # a halo is for screens
            left, base = x + scale * float(shape.get("x", 0)) - shift, y + scale * float(shape.get("y", 0)) + drop
            self.text(left, base, words, size, bold, shape.get("fill", "#000"))

    def _shape(
        self, path: list[tuple[str, list[float]]], shape: ElementTree.Element, x: float, y: float, scale: float
    ) -> None:
        fill, stroke = shape.get("fill", "none"), shape.get("stroke", "none")
        if fill == "none" and stroke == "none":
            return
        parts = [f"{paint(each)} {sign}" for each, sign in ((fill, "rg"), (stroke, "RG")) if each != "none"]
        parts.append(f"{scale * float(shape.get('stroke-width', 1)):.2f} w")
        dashes = " ".join(
            f"{scale * float(each):.2f}"
            for each in re.split(r"[ ,]+", shape.get("stroke-dasharray", "").strip())
            if each
        )
        parts.append(f"[{dashes}] 0 d")
        for operator, numbers in path:
            points = [x + scale * n if i % 2 == 0 else HEIGHT - y - scale * n for i, n in enumerate(numbers)]
            parts.append(" ".join([*(f"{point:.2f}" for point in points), operator]))
        closing = "S" if shape.tag.endswith("line") or fill == "none" else "f" if stroke == "none" else "B"
        self.content.append(" ".join([*parts, closing, "[] 0 d"]))


def paint(colour: str) -> str:
    """A colour as three numbers."""
    digits = NAMED.get(colour, colour).lstrip("#")
    if len(digits) == 3:
        digits = "".join(2 * digit for digit in digits)
    return " ".join(f"{int(digits[i : i + 2], 16) / 255:.3f}" for i in (0, 2, 4))


def number(shape: ElementTree.Element, name: str) -> float:
    """An attribute of a shape."""
    return float(shape.get(name, 0))


def box(shape: ElementTree.Element) -> list[tuple[str, list[float]]]:
    """A rectangle; its corners are sharp on paper."""
    x, y, w, h = (number(shape, name) for name in ("x", "y", "width", "height"))
    return [("m", [x, y]), ("l", [x + w, y]), ("l", [x + w, y + h]), ("l", [x, y + h]), ("h", [])]


def disc(shape: ElementTree.Element) -> list[tuple[str, list[float]]]:
    """A circle as four curves."""
    x, y, r = (number(shape, name) for name in ("cx", "cy", "r"))
    k = 0.5523 * r
    return [
        ("m", [x + r, y]),
        ("c", [x + r, y + k, x + k, y + r, x, y + r]),
        ("c", [x - k, y + r, x - r, y + k, x - r, y]),
        ("c", [x - r, y - k, x - k, y - r, x, y - r]),
        ("c", [x + k, y - r, x + r, y - k, x + r, y]),
        ("h", []),
    ]


def stroke(shape: ElementTree.Element) -> list[tuple[str, list[float]]]:
    """A line."""
    return [("m", [number(shape, "x1"), number(shape, "y1")]), ("l", [number(shape, "x2"), number(shape, "y2")])]


def corners(shape: ElementTree.Element) -> list[tuple[str, list[float]]]:
    """A polygon."""
    numbers = [float(each) for each in re.split(r"[\s,]+", shape.get("points", "").strip())]
    points = [numbers[i : i + 2] for i in range(0, len(numbers), 2)]
    return [("m", points[0]), *(("l", point) for point in points[1:]), ("h", [])]


OUTLINES = {"rect": box, "circle": disc, "line": stroke, "polygon": corners}


def document(pages: list[PdfPage], title: str) -> bytes:
    """The file."""
    first = 4 + len(FONTS)
    kids = " ".join(f"{first + 2 * i} 0 R" for i in range(len(pages)))
    encoding = {SYMBOL: ""}
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Count {len(pages)} /Kids [{kids}] >>".encode(),
        b"<< /Title <" + b"\xfe\xff".hex().encode() + title.encode("utf-16-be").hex().encode() + b"> >>",
    ]
    for i, name in enumerate(FONTS):
        coded = encoding.get(i, " /Encoding /WinAnsiEncoding")
        objects.append(f"<< /Type /Font /Subtype /Type1 /BaseFont /{name}{coded} >>".encode())
    fonts = " ".join(f"/F{i} {4 + i} 0 R" for i in range(len(FONTS)))
    for i, page in enumerate(pages):
        content = "\n".join(page.content).encode("ascii")
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {WIDTH:g} {HEIGHT:g}] /Contents {first + 2 * i + 1} 0 R "
            f"/Resources << /Font << {fonts} >> >> >>".encode()
        )
        objects.append(b"<< /Length %d >>\nstream\n" % len(content) + content + b"\nendstream")
    out, places = bytearray(b"%PDF-1.4\n"), []
    for i, each in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n" % i + each + b"\nendobj\n"
    start, count = len(out), len(objects) + 1
    out += b"xref\n0 %d\n0000000000 65535 f \n" % count + b"".join(b"%010d 00000 n \n" % place for place in places)
    out += b"trailer\n<< /Size %d /Root 1 0 R /Info 3 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (count, start)
    return bytes(out)
