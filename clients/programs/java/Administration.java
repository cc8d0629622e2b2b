// SPDX-License-Identifier: Apache-2.0
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** Topics, configs, records and groups by the admin client, each looked at after it was changed. */
final class Administration {
  private static final String TOPIC = "administered";
  private final Cluster cluster;

  Administration(Cluster cluster) {
    this.cluster = cluster;
  }

  void run() throws Exception {
    try (Admin admin = Admin.create(cluster.with(Map.of()))) {
      require(!admin.describeCluster().nodes().get().isEmpty(), "the cluster has brokers");
      topics(admin);
      configs(admin);
      records(admin);
      groups(admin);
      admin.deleteTopics(List.of(TOPIC)).all().get();
      require(isGone(admin), "the topic is deleted");
    }
    System.out.println("admin: topics, partitions, configs, records, groups");
  }

  private static void topics(Admin admin) throws Exception {
    NewTopic topic = new NewTopic(TOPIC, Optional.of(2), Optional.empty());
    admin.createTopics(List.of(topic.configs(Map.of("retention.ms", "60000")))).all().get();
    admin.createPartitions(Map.of(TOPIC, NewPartitions.increaseTo(4))).all().get();
    require(admin.listTopics().names().get().contains(TOPIC), "the topic is listed");
    int partitions = 0;
    for (int tries = 0; partitions != 4 && tries < 100; ++tries) {
      partitions = admin.describeTopics(List.of(TOPIC)).allTopicNames().get().get(TOPIC).partitions().size();
    }
    require(partitions == 4, "the topic has four partitions");
  }

  private static void configs(Admin admin) throws Exception {
    ConfigResource topic = new ConfigResource(ConfigResource.Type.TOPIC, TOPIC);
    AlterConfigOp change = new AlterConfigOp(new ConfigEntry("cleanup.policy", "compact"), AlterConfigOp.OpType.SET);
    admin.incrementalAlterConfigs(Map.of(topic, List.of(change))).all().get();
    String policy = "";
    for (int tries = 0; !policy.equals("compact") && tries < 100; ++tries) {
      Config config = admin.describeConfigs(List.of(topic)).all().get().get(topic);
      require(config.get("retention.ms").value().equals("60000"), "the topic keeps what it was created with");
      policy = config.get("cleanup.policy").value();
    }
    require(policy.equals("compact"), "the config is altered");
  }

  private void records(Admin admin) throws Exception {
    try (var producer = cluster.producer(Map.of())) {
      List<Witness.Row> rows = List.of(new Witness.Row(0, "a"), new Witness.Row(0, "b"), new Witness.Row(0, "c"));
      // Compacted topics want keys.
      for (Witness.Row row : rows) {
        producer.send(new org.apache.kafka.clients.producer.ProducerRecord<>(TOPIC, 0, "key", row.value())).get();
      }
    }
    TopicPartition first = new TopicPartition(TOPIC, 0);
    require(offset(admin, first, OffsetSpec.latest()) == 3, "three records are there");
    ConfigResource topic = new ConfigResource(ConfigResource.Type.TOPIC, TOPIC);
    AlterConfigOp change = new AlterConfigOp(new ConfigEntry("cleanup.policy", "delete"), AlterConfigOp.OpType.SET);
    admin.incrementalAlterConfigs(Map.of(topic, List.of(change))).all().get();
    for (int tries = 0; ; ++tries) {
      try {
        admin.deleteRecords(Map.of(first, RecordsToDelete.beforeOffset(2))).all().get();
        break;
      } catch (ExecutionException refused) { // until the broker has heard of the policy
        if (tries == 100) throw refused;
      }
    }
    require(offset(admin, first, OffsetSpec.earliest()) == 2, "two records are deleted");
  }

  private static long offset(Admin admin, TopicPartition at, OffsetSpec spec) throws Exception {
    return admin.listOffsets(Map.of(at, spec)).all().get().get(at).offset();
  }

  /** The groups that the other programs left behind. */
  private static void groups(Admin admin) throws Exception {
    var names = admin.listGroups().all().get().stream().map(group -> group.groupId()).toList();
    require(names.containsAll(List.of("classic-group", "consumer-group")), "both groups are listed");
    for (String group : List.of("classic-group", "consumer-group")) {
      var offsets = admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata().get();
      long sum = offsets.values().stream().mapToLong(offset -> offset.offset()).sum();
      require(sum == 2L * Witness.WAVE * Witness.PARTITIONS, group + " has committed two waves, not " + sum);
    }
    require(admin.describeConsumerGroups(List.of("consumer-group")).all().get().get("consumer-group").members().isEmpty(),
        "the group has no members");
    admin.deleteConsumerGroups(List.of("classic-group")).all().get();
    names = admin.listGroups().all().get().stream().map(group -> group.groupId()).toList();
    require(!names.contains("classic-group"), "the group is deleted");
  }

  private static boolean isGone(Admin admin) throws Exception {
    for (int tries = 0; tries < 100; ++tries) {
      try {
        admin.describeTopics(List.of(TOPIC)).allTopicNames().get();
      } catch (ExecutionException failure) {
        return failure.getCause() instanceof UnknownTopicOrPartitionException;
      }
    }
    return false;
  }

  private static void require(boolean holds, String what) {
    if (!holds) throw new AssertionError(what);
  }
}
