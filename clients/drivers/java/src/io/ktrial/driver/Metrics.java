// SPDX-License-Identifier: Apache-2.0
package io.ktrial.driver;

import com.google.gson.JsonObject;
import java.util.Map;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.MetricName;

/** The client's own numeric metrics, without those per node, topic or partition. */
final class Metrics {
    private Metrics() {}

    static JsonObject of(Map<MetricName, ? extends Metric> metrics) {
        JsonObject result = new JsonObject();
        metrics.forEach((name, metric) -> {
            boolean ofClient = name.tags().keySet().stream().allMatch("client-id"::equals);
            if (ofClient && Api.value(metric) instanceof Number number && Double.isFinite(number.doubleValue())) {
                result.addProperty(name.group() + "/" + name.name(), number);
            }
        });
        return result;
    }
}
