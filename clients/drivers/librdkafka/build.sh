#!/usr/bin/env bash
# Builds the driver for librdkafka $KTRIAL_VERSION into $KTRIAL_BUILD_DIR, always against Debian's
# headers. Debian's own version links Debian's library; any other is taken out of the
# confluent-kafka wheel that requirements-VERSION.txt pins by hash.
set -euo pipefail
cd "$(dirname "$0")"
here=$PWD
out="$KTRIAL_BUILD_DIR"
mkdir -p "$out"

library=(-lrdkafka)
if [ "$KTRIAL_VERSION" != "$(pkg-config --modversion rdkafka)" ]; then
  python3 -m pip download --quiet --no-deps --only-binary=:all: --require-hashes \
    --platform manylinux_2_28_x86_64 --python-version 3.11 \
    --dest "$out/wheel" -r "requirements-$KTRIAL_VERSION.txt"
  (cd "$out/wheel" && python3 -m zipfile -e ./*.whl .)
  cp "$out"/wheel/*.libs/* "$out/"
  rm -rf "$out/wheel"
  library=("$(ls "$out"/librdkafka-*.so*)" -Wl,-rpath,"$out" -Wl,--allow-shlib-undefined)
fi

compile=(g++ -std=c++20 -O1 -Wall -Wextra -Wpedantic -Wshadow -Werror)
command -v ccache >/dev/null && compile=(ccache "${compile[@]}")
objects=()
for source in main client config_map consumer output producer; do
  "${compile[@]}" -c "$here/$source.cc" -o "$out/$source.o"
  objects+=("$out/$source.o")
done
g++ "${objects[@]}" "${library[@]}" -pthread -o "$out/driver"
