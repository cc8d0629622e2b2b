// SPDX-License-Identifier: Apache-2.0
// librdkafka's mock cluster as a process of its own: mock BROKERS TOPIC PARTITIONS. Prints its
// bootstrap servers and serves until its input ends.
#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  if (argc != 4) {
    fprintf(stderr, "usage: mock BROKERS TOPIC PARTITIONS\n");
    return 2;
  }
  char why[512];
  rd_kafka_t *const owner =
      rd_kafka_new(RD_KAFKA_PRODUCER, rd_kafka_conf_new(), why, sizeof why);
  if (owner == NULL) {
    fprintf(stderr, "mock: %s\n", why);
    return 1;
  }
  rd_kafka_mock_cluster_t *const cluster = rd_kafka_mock_cluster_new(owner, atoi(argv[1]));
  if (cluster == NULL) {
    fprintf(stderr, "mock: no cluster\n");
    return 1;
  }
  rd_kafka_mock_topic_create(cluster, argv[2], atoi(argv[3]), 1);
  printf("%s %s\n", rd_kafka_version_str(), rd_kafka_mock_cluster_bootstraps(cluster));
  fflush(stdout);
  while (getchar() != EOF) {
  }
  rd_kafka_mock_cluster_destroy(cluster);
  rd_kafka_destroy(owner);
  return 0;
}
