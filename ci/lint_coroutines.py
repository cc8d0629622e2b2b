#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Flags the co_await shapes that g++ 12 miscompiles (docs/decisions/0003-coroutines.md):
in a condition, or with braces (an aggregate, a capturing lambda) in the same expression.
Usage: lint_coroutines.py [FILE...]; without files, every tracked C++ source."""
import re
import subprocess
import sys

CONDITION = re.compile(r"(else\s+)?(if|while|switch|for)\s*\(")


def without_comments_and_strings(source):
    source = re.sub(r"//[^\n]*", "", source)
    source = re.sub(r"/\*.*?\*/", lambda m: "\n" * m.group().count("\n"), source, flags=re.S)
    return re.sub(r'"(\\.|[^"\\\n])*"', '""', source)


def statements(source):
    """Yields (line, text before co_await, text from co_await to the end of its statement)."""
    for match in re.finditer(r"[^;{}]*?\bco_await\b", source):
        end, depth = match.end(), 0
        while end < len(source) and not (source[end] == ";" and depth <= 0):
            depth += (source[end] in "({[") - (source[end] in ")}]")
            if depth < 0:
                break
            end += 1
        await_at = match.end() - len("co_await")
        yield source.count("\n", 0, await_at) + 1, match.group().strip(), source[await_at:end]


def faults(path):
    with open(path, encoding="utf-8") as file:
        source = without_comments_and_strings(file.read())
    for line, before, after in statements(source):
        if CONDITION.match(before):
            yield line, "co_await inside a condition: bind it to a named local first"
        elif "{" in after:
            yield line, "braces or a lambda inside a co_await expression: name the argument first"


def main():
    files = sys.argv[1:] or subprocess.run(
        ["git", "ls-files", "*.cc", "*.h"], check=True, capture_output=True, text=True
    ).stdout.split()
    found = [f"{path}:{line}: {text}" for path in files for line, text in faults(path)]
    print("\n".join(found) if found else f"coroutine lint: {len(files)} files, nothing found")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
