#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs every fuzz target of a build directory for a while: fuzz/run.sh [BUILD_DIR [SECONDS]].
# Seeds are the vectors beside the code; what is found stays in BUILD_DIR/corpus, crashes in
# BUILD_DIR/crashes.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
build=${1:-$root/build/fuzz}
seconds=${2:-60}
mkdir -p "$build/crashes"

seed_record_batch_fuzz() {
  local vector
  for vector in "$root"/protocol/golden/records/*.txt; do
    head -n 1 "$vector" | tr -d '\n' | python3 -c \
      'import sys; sys.stdout.buffer.write(bytes.fromhex(sys.stdin.read()))' \
      >"$1/$(basename "$vector" .txt)"
  done
}

status=0
for target in "$build"/fuzz/*_fuzz; do
  name=$(basename "$target")
  corpus=$build/corpus/$name
  mkdir -p "$corpus"
  if declare -F "seed_$name" >/dev/null; then "seed_$name" "$corpus"; fi
  echo "== $name: ${seconds} s"
  "$target" -max_total_time="$seconds" -max_len=65536 -timeout=10 -rss_limit_mb=1024 \
    -print_final_stats=1 -artifact_prefix="$build/crashes/$name-" "$corpus" \
    >"$build/$name.log" 2>&1 || { status=1; tail -n 40 "$build/$name.log"; }
  grep -E 'stat::(number_of_executed_units|average_exec_per_sec|peak_rss_mb)' "$build/$name.log" || true
done
exit $status
