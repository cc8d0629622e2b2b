// SPDX-License-Identifier: Apache-2.0
import java.util.Map;

/** kafka-clients: both group protocols, transactions, administration, a share group. */
public final class Main {
  private Main() {}

  public static void main(String[] arguments) throws Exception {
    Cluster cluster = new Cluster(arguments[0]);
    if (arguments.length > 1) { // the short flow, on topics of this prefix
      new Groups(cluster).runShort(arguments[1] + "-classic", Map.of("group.protocol", "classic"));
      new Groups(cluster).runShort(arguments[1] + "-consumer", Map.of("group.protocol", "consumer"));
      new Transactions(cluster).run(arguments[1] + "-transactions");
      return;
    }
    new Groups(cluster).run("classic", "classic", "lz4", Map.of("group.protocol", "classic"));
    new Groups(cluster).run("KIP-848", "consumer", "zstd", Map.of("group.protocol", "consumer"));
    new Transactions(cluster).run("transactions");
    new Administration(cluster).run();
    new ShareGroup(cluster).run("share");
  }
}
