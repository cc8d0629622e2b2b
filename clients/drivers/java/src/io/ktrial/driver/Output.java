// SPDX-License-Identifier: Apache-2.0
package io.ktrial.driver;

import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.protocol.Errors;

/** Writes whole lines to stdout from any thread. */
final class Output {
    private final PrintStream out;

    Output(PrintStream out) {
        this.out = out;
    }

    synchronized void send(JsonObject line) {
        byte[] bytes = (line + "\n").getBytes(StandardCharsets.UTF_8);
        out.write(bytes, 0, bytes.length);
        out.flush();
    }

    static JsonObject ok(JsonElement id, JsonObject result) {
        JsonObject line = answer(id);
        line.addProperty("ok", true);
        line.add("result", result);
        return line;
    }

    static JsonObject unsupported(JsonElement id, String what) {
        JsonObject line = answer(id);
        line.addProperty("unsupported", what);
        return line;
    }

    static JsonObject error(JsonElement id, Throwable thrown) {
        JsonObject line = answer(id);
        line.addProperty("ok", false);
        line.add("error", describe(thrown));
        return line;
    }

    static JsonObject error(JsonElement id, String code, boolean retriable, String message) {
        JsonObject line = answer(id);
        line.addProperty("ok", false);
        line.add("error", describe(code, retriable, message));
        return line;
    }

    static JsonObject describe(Throwable thrown) {
        Throwable cause = thrown instanceof ExecutionException && thrown.getCause() != null ? thrown.getCause() : thrown;
        Errors error = Errors.forException(cause);
        String code = cause instanceof ApiException && error.code() != -1
            ? error.name() : cause.getClass().getSimpleName();
        return describe(code, cause instanceof RetriableException, String.valueOf(cause.getMessage()));
    }

    private static JsonObject describe(String code, boolean retriable, String message) {
        JsonObject error = new JsonObject();
        error.addProperty("code", code);
        error.addProperty("retriable", retriable);
        error.addProperty("message", message);
        return error;
    }

    private static JsonObject answer(JsonElement id) {
        JsonObject line = new JsonObject();
        line.add("id", id == null ? JsonNull.INSTANCE : id);
        return line;
    }
}
