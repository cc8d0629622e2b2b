#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs every fuzz target of a build directory for a while: fuzz/run.sh [BUILD_DIR [SECONDS [TARGET]]].
# Seeds are fuzz/corpus, the least set that covers what was reached (-set_cover_merge=1), and the
# vectors beside the code; what is found stays in BUILD_DIR/corpus, crashes in
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

for name in decode_request decode_response handlers connection; do
  eval "seed_${name}_fuzz() { \"$build/fuzz/make_seeds\" ${name}_fuzz \"\$1\"; }"
done

seed_rule_fuzz() {
  python3 - "$root/docs/rules.md" "$1" <<'PYTHON'
import json, re, sys
text = open(sys.argv[1], encoding="utf-8").read()
for number, do in enumerate(re.findall(r"do: (\{.*\})\}?$", text, re.M)):
    with open(f"{sys.argv[2]}/do-{number}", "w", encoding="utf-8") as file:
        file.write('{"id": "a", "do": ' + re.sub(r"(\w+):", r'"\1":', do) + "}")
keys = re.findall(r"^\| `([a-z_`, ]+)` \|", text, re.M)
for key in " ".join(keys).replace("`", "").replace(",", " ").split():
    with open(f"{sys.argv[2]}/{key}", "w", encoding="utf-8") as file:
        json.dump({"id": "a", "when": {key: 1}, "do": {key: 1}}, file)
PYTHON
}

only=${3:-}  # the name of a target: no other
status=0
for target in "$build"/fuzz/*_fuzz; do
  name=$(basename "$target")
  if [[ -n $only && $name != "$only" ]]; then continue; fi
  corpus=$build/corpus/$name
  mkdir -p "$corpus"
  if [ -d "$root/fuzz/corpus/$name" ]; then cp "$root/fuzz/corpus/$name"/* "$corpus/"; fi
  if declare -F "seed_$name" >/dev/null; then "seed_$name" "$corpus"; fi
  echo "== $name: ${seconds} s"
  "$target" -max_total_time="$seconds" -max_len=65536 -timeout=10 -rss_limit_mb=1024 \
    -print_final_stats=1 -artifact_prefix="$build/crashes/$name-" "$corpus" \
    >"$build/$name.log" 2>&1 || { status=1; tail -n 40 "$build/$name.log"; }
  grep -E 'stat::(number_of_executed_units|average_exec_per_sec|peak_rss_mb)' "$build/$name.log" || true
done
exit $status
