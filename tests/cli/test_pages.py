"""What a newcomer reads agrees with the package: listings, pictures, the table of games."""

import importlib
import inspect
import re
from pathlib import Path

import counterplay as cp

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "add-a-game.md").read_text()
README = (ROOT / "README.md").read_text()


def listing(title):
    """A file as shown on the page about adding a game."""
    return re.search(rf'```python title="{title}"\n(.*?)^```$', PAGE, flags=re.DOTALL | re.MULTILINE)[1]


def code(text):
    """The lines of code of a listing, without comments and docstrings."""
    lines = (re.sub(r"\s*#.*", "", line) for line in re.sub(r'""".*?"""', "", text, flags=re.DOTALL).splitlines())
    return [line for line in lines if line.strip()]


def test_the_page_shows_the_example():
    shown = code(listing("chomp.py") + listing("notation.py"))
    assert shown == code((ROOT / "examples" / "chomp.py").read_text())
    assert 30 <= len(shown) <= 50


def drawn(run, tmp_path, *arguments):
    """The picture that `show` draws."""
    assert run("show", *arguments, "--svg", tmp_path / "picture.svg")[0] == 0
    return (tmp_path / "picture.svg").read_text()


def test_the_picture_of_chomp_is_what_the_code_on_its_page_draws(run, tmp_path):
    (tmp_path / "chomp.py").write_text(listing("chomp.py") + listing("notation.py"))
    picture = drawn(run, tmp_path, tmp_path / "chomp.py", "--moves", "c2 d1")
    assert picture == (ROOT / "docs" / "images" / "chomp.svg").read_text()


def test_the_picture_of_connect_four_is_up_to_date(run, tmp_path):
    picture = drawn(run, tmp_path, "connect-four", "--moves", "4 4 3 3 5")
    assert picture == (ROOT / "docs" / "images" / "connect-four.svg").read_text()


def test_the_readme_s_animation_moves_and_is_small():
    from PIL import Image

    file = ROOT / "docs" / "images" / "tour.webp"
    assert "docs/images/tour.webp" in README
    assert Image.open(file).n_frames > 20
    assert file.stat().st_size < 1_500_000


def test_the_readme_opens_with_a_sentence_a_picture_and_the_commands():
    opening = r"# Counterplay\n\n\w[^\n]*\.\n\n!\[[^\n]*\n\n```console\n\$ pip install 'counterplay\[[^\n]*\n```\n"
    assert re.match(opening + r"[^#]*```console\n\$ make run\n\$ make test\n```\n", README)
    assert "\n## Your game in 60 seconds\n" in README
    assert len(README.splitlines()) < 170


def test_the_course_map_names_files_that_exist():
    page = (ROOT / "docs" / "course.md").read_text()
    files = [name for name in re.findall(r"`([\w/]+(?:\.py|/))`", page) if name != "examples/"]
    assert len(files) > 15
    for name in files:
        assert (ROOT / "src" / "counterplay" / name).exists(), name


def test_the_reference_has_every_public_name_where_it_is_defined():
    page = (ROOT / "docs" / "reference.md").read_text()
    listed = [path.rpartition(".") for path in re.findall(r"^::: (\S+)$", page, flags=re.MULTILINE)]
    assert sorted(name for _, _, name in listed) == sorted({*cp.__all__} - {"CHANCE"})
    for module, _, name in listed:
        thing = cp._function(name) if name in cp.LAZY else getattr(cp, name)
        assert getattr(importlib.import_module(module), name) is thing
        assert inspect.getdoc(thing)


def test_the_page_of_games_lists_every_game_as_it_is(answer):
    page = (ROOT / "docs" / "games" / "index.md").read_text()
    rows = re.findall(r"^\| \[`([\w-]+)`\]\((.*?)\) \| (.*) \| (.*) \|$", page, flags=re.MULTILINE)
    games = answer("games")
    assert [(name, page, what) for name, page, what, _ in rows] == [
        (game["name"], f"{game['name']}.md", game["description"]) for game in games
    ]
    for (_, _, _, traits), game in zip(rows, games, strict=True):
        assert traits.startswith(f"{game['players']} player" + "s" * (game["players"] != 1))
        for trait, word in (("chance", "chance"), ("hidden", "hidden information")):
            assert (word in traits) == game[trait]
        assert ("not zero-sum" in traits) == (game["players"] > 1 and not game["zero_sum"])
