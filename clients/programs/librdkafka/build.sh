#!/usr/bin/env bash
# `build.sh fetch` takes the newest librdkafka out of the wheel that wheel.txt pins by hash,
# `build.sh build` links the program against it, with Debian's headers (docs/decisions/0004). Into $OUT.
set -euo pipefail
case "$1" in
  fetch)
    rm -rf "$OUT/wheel" "$OUT/lib"
    python3 -m pip download --quiet --no-deps --only-binary=:all: --require-hashes \
      --platform manylinux_2_28_x86_64 --python-version 3.11 --dest "$OUT/wheel" -r wheel.txt
    python3 -m zipfile -e "$OUT"/wheel/*.whl "$OUT/wheel"
    mv "$OUT"/wheel/*.libs "$OUT/lib"
    rm -rf "$OUT/wheel"
    ;;
  build)
    g++ -std=c++20 -O1 -Wall -Wextra -Wpedantic -Wshadow -Werror main.cc member.cc -o "$OUT/program" \
      "$OUT"/lib/librdkafka-*.so* -Wl,-rpath,"$OUT/lib" -Wl,--allow-shlib-undefined -pthread
    ;;
esac
