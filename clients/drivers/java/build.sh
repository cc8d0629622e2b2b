#!/usr/bin/env bash
# Builds the driver for kafka-clients $KTRIAL_VERSION into $KTRIAL_BUILD_DIR, with a class-data
# archive so that the JVM starts in about half the time. driver.args holds the JVM's options.
set -euo pipefail
cd "$(dirname "$0")"
case "$KTRIAL_VERSION" in
  0.10.*) api=api/0.10 ;;
  *) api=api/current ;;
esac
mvn -q -B -Dapi.dir="$api" -Dkafka.version="$KTRIAL_VERSION" -Dbuild.dir="$KTRIAL_BUILD_DIR" package
cd "$KTRIAL_BUILD_DIR"
classpath=$(printf "$PWD/%s:" driver.jar lib/*.jar)
options=(-XX:-UsePerfData -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto -cp "${classpath%:}"
  -Dorg.slf4j.simpleLogger.defaultLogLevel=warn)

# A rehearsal that loads what a case loads; the clients find no broker.
rehearsal() {
  printf '%s\n' \
    '{"id":1,"cmd":"create","client":"p","role":"producer","config":{"bootstrap.servers":"127.0.0.1:1"}}' \
    '{"id":2,"cmd":"create","client":"c","role":"consumer","config":{"bootstrap.servers":"127.0.0.1:1","group.id":"g"}}' \
    '{"id":3,"cmd":"subscribe","client":"c","topics":["t"]}' \
    '{"id":4,"cmd":"poll","client":"c","for_ms":300}' \
    '{"id":5,"cmd":"close","client":"c","timeout_ms":100}' \
    '{"id":6,"cmd":"close","client":"p","timeout_ms":100}'
  sleep 2
  echo '{"id":7,"cmd":"exit"}'
}
rehearsal | java -XX:ArchiveClassesAtExit=driver.jsa "${options[@]}" io.ktrial.driver.Main >rehearsal.log 2>&1 || true
[ -f driver.jsa ] && options=(-XX:SharedArchiveFile="$PWD/driver.jsa" "${options[@]}")
printf '"%s"\n' "${options[@]}" >driver.args
