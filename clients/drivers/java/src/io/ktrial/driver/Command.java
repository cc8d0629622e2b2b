// SPDX-License-Identifier: Apache-2.0
package io.ktrial.driver;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.time.Duration;

/** One command, with typed access to its members; a missing or odd member is a clear error. */
record Command(JsonObject json) {
    JsonElement id() {
        return json.get("id");
    }

    String name() {
        return text("cmd");
    }

    boolean has(String member) {
        return json.has(member) && !json.get(member).isJsonNull();
    }

    String text(String member) {
        if (!has(member)) {
            throw new IllegalArgumentException("member '" + member + "' is missing");
        }
        return json.get(member).getAsString();
    }

    String text(String member, String otherwise) {
        return has(member) ? json.get(member).getAsString() : otherwise;
    }

    long number(String member, long otherwise) {
        return has(member) ? json.get(member).getAsLong() : otherwise;
    }

    boolean flag(String member) {
        return has(member) && json.get(member).getAsBoolean();
    }

    Duration millis(String member, Duration otherwise) {
        return has(member) ? Duration.ofMillis(json.get(member).getAsLong()) : otherwise;
    }

    JsonArray array(String member) {
        if (!has(member)) {
            throw new IllegalArgumentException("member '" + member + "' is missing");
        }
        return json.getAsJsonArray(member);
    }

    JsonObject object(String member) {
        return has(member) ? json.getAsJsonObject(member) : new JsonObject();
    }
}
