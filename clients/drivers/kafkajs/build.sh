#!/usr/bin/env bash
# Installs the pinned kafkajs beside a copy of the driver's source in $KTRIAL_BUILD_DIR.
set -euo pipefail
cd "$(dirname "$0")"
mkdir -p "$KTRIAL_BUILD_DIR"
cp package.json package-lock.json ./*.js "$KTRIAL_BUILD_DIR/"
npm ci --prefix "$KTRIAL_BUILD_DIR" --no-audit --no-fund --silent
