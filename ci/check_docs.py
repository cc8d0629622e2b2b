#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Documents stay true. Fails, naming file and line, on

- a relative link in a Markdown file to what is not in the repository, or to a heading that its
  document does not have;
- a link named `Suite.Test` to a C++ file without that test;
- a row of a feature table (docs/fake-cluster.md: a table with the columns "ktrial" and "shown by")
  that claims something and links to no test. Where the link leads to a script, its text stands in
  the script word for word;
- an API that fakebroker/handlers/registry.cc serves and the table of APIs does not have with the
  same versions, or the other way round; versions of a Kafka release that releases.txt does not
  have; an API of the newest release that is neither there nor in the table of what is left out."""
import dataclasses
import pathlib
import re
import subprocess
import sys

FEATURES = "docs/fake-cluster.md"
REGISTRY = "fakebroker/handlers/registry.cc"
RELEASES = "fakebroker/releases/releases.txt"
SCHEMAS = "protocol/schema"

LINK = re.compile(r"\[((?:[^\[\]`]|`[^`]*`)*)\]\(<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\)")
TEST_NAME = re.compile(r"[A-Z]\w*\.[A-Z]\w*")
# "3-13", "0", "3-13 (offers 0)"
VERSIONS = re.compile(r"(\d+)(?:-(\d+))?(?: \(offers (\d+)\))?")


@dataclasses.dataclass(frozen=True)
class Link:
    line: int
    text: str
    target: str


@dataclasses.dataclass(frozen=True)
class Row:
    line: int
    cells: dict  # header, in small letters -> text
    surplus: int  # cells more than the header has, or fewer


class Repository:
    """The files that git knows, and those that it would take."""

    def __init__(self, root, files=None):
        self.root = pathlib.Path(root)
        if files is None:
            files = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                                   cwd=root, check=True, capture_output=True, text=True).stdout.split("\0")
        self.files = {name for name in files if name and (self.root / name).is_file()}
        self.folders = {str(parent) for name in self.files for parent in pathlib.PurePosixPath(name).parents}
        self._texts = {}

    def text(self, name):
        if name not in self._texts:
            self._texts[name] = (self.root / name).read_text(encoding="utf-8", errors="replace")
        return self._texts[name]


# --- Markdown

def prose(text):
    """(line number, line) of all that is not in a fenced block."""
    fence = None
    for number, line in enumerate(text.splitlines(), 1):
        mark = re.match(r"\s*(```+|~~~+)", line)
        if mark and (fence is None or mark[1].startswith(fence)):
            fence = mark[1] if fence is None else None
        elif fence is None:
            yield number, line


def without_code(line):
    """Code that shows a link is none."""
    return re.sub(r"(`+)(?!`)(.+?)(?<!`)\1(?!`)",
                  lambda code: "" if "](" in code[2] else code[0], line)


def links(text):
    for number, line in prose(text):
        for found in LINK.finditer(without_code(line)):
            yield Link(number, found[1].strip("`"), found[2])


def anchors(text):
    """Of a document's headings, as GitHub makes them."""
    seen, made = {}, set()
    for _, line in prose(text):
        made.update(re.findall(r"<a (?:id|name)=\"([^\"]+)\"", line))
        heading = re.match(r"#{1,6}\s+(.*?)\s*#*$", line)
        if not heading:
            continue
        plain = LINK.sub(r"\1", heading[1]).replace("`", "").lower()
        slug = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
        count = seen.get(slug, 0)
        seen[slug] = count + 1
        made.add(f"{slug}-{count}" if count else slug)
    return made


def tables(text):
    """The rows of each table."""
    every, header = [], None
    for number, line in prose(text):
        if not line.startswith("|"):
            header = None
            continue
        cells = [cell.strip().replace(r"\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if header is None:
            header = [cell.lower() for cell in cells]
            every.append([])
        elif not all(re.fullmatch(r":?-+:?", cell) for cell in cells):
            surplus = len(cells) - len(header)
            every[-1].append(Row(number, dict(zip(header, cells + [""] * -surplus)), surplus))
    return every


# --- Links and tests

def resolve(document, target):
    """The file or folder in the repository, and the anchor; None if it lies outside."""
    path, _, anchor = target.partition("#")
    if not path:
        return document, anchor
    parts = list(pathlib.PurePosixPath(document).parent.parts)
    for part in pathlib.PurePosixPath(path).parts:
        if part == "..":
            if not parts:
                return None, anchor
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts) or ".", anchor


def is_relative(target):
    return not re.match(r"[a-z][a-z0-9+.-]*:|//", target, re.I)


def has_test(repository, name, path):
    suite, test = name.split(".")
    return re.search(rf"^TEST(?:_F|_P)?\(\s*{suite},\s*{test}\s*\)", repository.text(path), re.M)


def link_fault(repository, document, link):
    path, anchor = resolve(document, link.target)
    if path not in repository.files and path not in repository.folders:
        return f"there is no {link.target} in the repository"
    if anchor and path.endswith(".md") and anchor not in anchors(repository.text(path)):
        return f"{path} has no heading #{anchor}"
    if TEST_NAME.fullmatch(link.text) and path.endswith(".cc") and not has_test(repository, link.text, path):
        return f"{path} has no test {link.text}"
    return None


def shown_fault(repository, document, link):
    """What speaks against a link of the column "shown by"."""
    path, _ = resolve(document, link.target)
    if path not in repository.files:
        return None if path not in repository.folders else f"{link.target} is a folder, not a test"
    if path.endswith(".cc") and "TEST" in repository.text(path):
        if not TEST_NAME.fullmatch(link.text):
            return f"'{link.text}' is not the Suite.Test of a test in {path}"
    elif link.text not in repository.text(path):
        return f"{path} does not say '{link.text}'"
    return None


def feature_rows(repository):
    for rows in tables(repository.text(FEATURES)):
        yield from (row for row in rows if {"ktrial", "shown by"} <= row.cells.keys())


def features(repository):
    for row in feature_rows(repository):
        if row.surplus:
            yield f"{FEATURES}:{row.line}: {len(row.cells) + row.surplus} cells below {len(row.cells)} headers"
            continue
        shown = [Link(row.line, found[1].strip("`"), found[2]) for found in LINK.finditer(row.cells["shown by"])]
        claims = not re.match(r"no\b", row.cells["ktrial"], re.I)
        if claims and not shown:
            yield f"{FEATURES}:{row.line}: '{next(iter(row.cells.values()))}' is claimed and shown by no test"
        for link in shown:
            if is_relative(link.target):
                fault = shown_fault(repository, FEATURES, link)
                if fault:
                    yield f"{FEATURES}:{row.line}: {fault}"


# --- APIs

@dataclasses.dataclass(frozen=True)
class Served:
    name: str
    versions: tuple  # lowest, highest
    offers: int  # the lowest that ApiVersions tells

    def __str__(self):
        return show(self.versions) + (f" (offers {self.offers})" if self.offers != self.versions[0] else "")


def show(versions):
    low, high = versions
    return str(low) if low == high else f"{low}-{high}"


def served(repository):
    """API key -> Served, as the rows of the registry have it."""
    keys = {}
    for name in repository.files:
        if name.startswith(SCHEMAS + "/") and name.endswith(".schema"):
            api = re.match(r"api (\d+) (\w+)", repository.text(name))
            if api:
                keys[api[2]] = int(api[1])
    source = re.sub(r"//[^\n]*", "", repository.text(REGISTRY))
    array = re.search(r"kRows = std::to_array<ApiRow>\(\{(.*?)\}\);", source, re.S)
    if not array:
        raise ValueError(f"{REGISTRY}: there is no array kRows")
    row = re.compile(r"(advertised_from_zero\(\s*)?\b(?:row|reading|plain)<\s*(\w+)Request\b[^()]*>\s*"
                     r"\(\s*(\d+)\s*,\s*(\d+)\s*\)")
    found = {}
    for from_zero, name, low, high in row.findall(array[1]):
        if name not in keys:
            raise ValueError(f"{REGISTRY}: {name} has no schema in {SCHEMAS}")
        found[keys[name]] = Served(name, (int(low), int(high)), 0 if from_zero else int(low))
    count = len(re.findall(r"\b(?:row|reading|plain)<", array[1]))
    if count != len(found):
        raise ValueError(f"{REGISTRY}: {count} rows in kRows, of which {len(found)} can be read here")
    return found


def releases(repository):
    """Release -> API key -> (lowest, highest)."""
    every = {}
    for line in repository.text(RELEASES).splitlines():
        if line and not line.startswith("#"):
            name, *apis = line.split()
            every[name] = {int(key): tuple(map(int, of.split("-"))) for key, of in (api.split(":") for api in apis)}
    return every


def api_fault(row, key, name, served_as, of_releases):
    said = row.cells["ktrial"]
    if served_as is None:
        if not re.match(r"no\b", said, re.I):
            return f"{name} ({key}) is not served, the table says '{said}'"
    elif served_as.name != name:
        return f"API {key} is {served_as.name}, not '{name}'"
    elif said != str(served_as):
        return f"{name} ({key}) is served as {served_as}, the table says '{said}'"
    for header, cell in row.cells.items():
        release = re.fullmatch(r"kafka (\d+\.\d+)", header)
        if not release:
            continue
        versions = VERSIONS.fullmatch(cell)
        real = of_releases.get(release[1], {}).get(key)
        told = (int(versions[1]), int(versions[2] or versions[1])) if versions else None
        if told != real:
            return f"{name} ({key}) of Kafka {release[1]} is {show(real) if real else 'none'}, the table says '{cell}'"
    return None


def left_out(repository):
    """Keys in the column "keys" of what is left out: "38-41, 88"."""
    keys = set()
    for rows in tables(repository.text(FEATURES)):
        for row in rows:
            for low, high in re.findall(r"(\d+)(?:-(\d+))?", row.cells.get("keys", "")):
                keys.update(range(int(low), int(high or low) + 1))
    return keys


def apis(repository):
    try:
        registry = served(repository)
    except ValueError as error:
        yield str(error)
        return
    of_releases, told = releases(repository), {}
    for row in feature_rows(repository):
        api = re.fullmatch(r"(\d+) (\w+)", row.cells.get("api", ""))
        if not api:
            if "api" in row.cells:
                yield f"{FEATURES}:{row.line}: an API is '0 Produce', not '{row.cells['api']}'"
            continue
        key = int(api[1])
        if key in told:
            yield f"{FEATURES}:{row.line}: API {key} is in the table already, in line {told[key]}"
        told[key] = row.line
        fault = api_fault(row, key, api[2], registry.get(key), of_releases)
        if fault:
            yield f"{FEATURES}:{row.line}: {fault}"
    for key in sorted(registry.keys() - told.keys()):
        yield f"{FEATURES}:1: {registry[key].name} ({key}), served as {registry[key]}, is not in the table"
    newest = list(of_releases)[-1]
    out = left_out(repository)
    for key in sorted(of_releases[newest].keys() - registry.keys() - out):
        yield f"{FEATURES}:1: Kafka {newest} has API {key}: it is neither served nor named as left out"
    for key in sorted(out & registry.keys()):
        yield f"{FEATURES}:1: {registry[key].name} ({key}) is served and named as left out"


def check(repository):
    """Faults, and how much was looked at."""
    faults, counts = [], {"documents": 0, "links": 0}
    for document in sorted(name for name in repository.files if name.endswith(".md")):
        counts["documents"] += 1
        for link in links(repository.text(document)):
            if not is_relative(link.target):
                continue
            counts["links"] += 1
            fault = link_fault(repository, document, link)
            if fault:
                faults.append(f"{document}:{link.line}: {fault}")
    faults += [*features(repository), *apis(repository)]
    counts["features"] = sum(1 for _ in feature_rows(repository))
    return faults, counts


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    faults, counts = check(Repository(root))
    if faults:
        print("\n".join(faults))
        return 1
    print("docs: " + ", ".join(f"{count} {what}" for what, count in counts.items()) + ", all true")
    return 0


if __name__ == "__main__":
    sys.exit(main())
