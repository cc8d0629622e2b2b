#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Dependencies point downwards only (ARCHITECTURE.md): reads every #include "folder/..." and
fails on one that the table below does not allow. Also keeps the libraries that are slow to
compile (STYLE: Asio, Beast, CLI11, yaml-cpp) in the few files that may see them."""
import re
import subprocess
import sys

MAY_INCLUDE = {
    "common": set(),
    "protocol": {"common"},
    "capture": {"common", "protocol"},
    "fakebroker": {"common", "protocol"},
    "clients": {"common", "protocol", "fakebroker"},  # fakebroker: end-to-end tests only
    "reports": {"common"},
    "harness": {"common", "protocol", "capture", "fakebroker", "reports"},
    "examples": set(),  # projects of their own, to be copied
    "bench": {"common", "protocol", "capture", "fakebroker", "clients", "harness", "reports"},
    "fuzz": {"common", "protocol", "capture", "fakebroker", "clients", "harness", "reports"},
}
# Library -> path prefixes that may include it.
CONFINED = {
    "CLI/": ["harness/cli/", "bench/kblast/main.cc"],
    "yaml-cpp/": ["harness/scenario/", "harness/driver/", "fakebroker/"],
    "boost/asio": ["common/net/", "fakebroker/", "clients/", "examples/", "bench/against/"],
    "boost/beast": ["fakebroker/control/"],
    "pcap/": ["capture/pcap_handle.cc"],
}
# yaml-cpp costs two seconds a unit: at most this many units see it.
ONE_UNIT_PER_FOLDER = {"yaml-cpp/", "CLI/"}


def main():
    files = subprocess.run(
        ["git", "ls-files", "*.cc", "*.h"], check=True, capture_output=True, text=True
    ).stdout.split()
    faults, seen_in = [], {}
    for path in files:
        layer = path.split("/")[0]
        allowed = MAY_INCLUDE.get(layer)
        if allowed is None:
            faults.append(f"{path}: folder '{layer}' is not in the layer table of ci/check_layers.py")
            continue
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                own = re.match(r'#include "([a-z_]+)/', line)
                if own and own[1] != layer and own[1] in MAY_INCLUDE:
                    test_only = layer == "clients" and own[1] == "fakebroker"
                    if own[1] not in allowed or (test_only and not path.endswith(("_test.cc", "_for_test.h"))):
                        faults.append(f"{path}:{number}: {layer} may not include {own[1]}")
                for library, places in CONFINED.items():
                    if re.match(rf"#include [<\"]{re.escape(library)}", line):
                        if not any(path.startswith(place) for place in places):
                            faults.append(f"{path}:{number}: <{library}...> is confined to {', '.join(places)}")
                        seen_in.setdefault((library, "/".join(path.split("/")[:2])), set()).add(path)
    for (library, folder), paths in sorted(seen_in.items()):
        if library in ONE_UNIT_PER_FOLDER and len(paths) > 1:
            faults.append(f"{folder}: <{library}...> in {len(paths)} files ({', '.join(sorted(paths))}): keep it in one")
    print("\n".join(faults) if faults else f"layers: {len(files)} files, dependencies point downwards")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
