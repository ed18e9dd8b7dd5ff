"""The order of pages in the site's sidebar; MkDocs calls it (mkdocs.yml). Pages not named here follow in alphabetical
order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mkdocs.structure import StructureItem
    from mkdocs.structure.nav import Navigation

GROUPS = {
    "Start": ("index", "install", "add-a-game", "app", "coming-from", "course", "glossary"),
    "Use": ("python", "reference", "commands", "adapters", "scale", "rules", "benchmarks", "reliability"),
}
FOLDERS = ("games", "search", "learning", "equilibrium", "arena", "lessons", "machines", "protocols", "decisions")


def on_nav(nav: Navigation, **_: object) -> None:
    """Group the pages of the top folder, and put the folders into the order in which one reads them."""
    from mkdocs.structure.nav import Section

    pages = {each.file.src_uri.removesuffix(".md"): each for each in nav.items if each.is_page}
    groups: list[StructureItem] = []
    for title, names in GROUPS.items():
        groups.append(Section(title, [pages.pop(name) for name in names if name in pages]))
        for page in groups[-1].children:
            page.parent = groups[-1]
    folders = [each for each in nav.items if each.is_section]
    folders.sort(key=lambda each: (*FOLDERS, folder(each)).index(folder(each)))
    nav.items = [*groups, *pages.values(), *folders]


def folder(section: StructureItem) -> str:
    """The folder of a section."""
    return section.children[0].file.src_uri.partition("/")[0]
