// SPDX-License-Identifier: Apache-2.0
package io.ktrial.driver;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonSyntaxException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/**
 * Drives Kafka's Java clients by the JSON-lines protocol of docs/drivers.md: one command a line on
 * stdin, one answer each and any number of events on stdout. Every client has a thread of its own
 * ({@link Client}), so that a call that blocks holds up nobody else.
 */
public final class Main {
    private final Map<String, Client> clients = new HashMap<>();
    private final Output output;

    private Main(Output output) {
        this.output = output;
    }

    public static void main(String[] args) throws IOException {
        Output output = new Output(System.out);
        output.send(Hello.of(Hello.clientsVersion()));
        Main main = new Main(output);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            if (!line.isBlank()) {
                main.handle(line);
            }
        }
        // The harness is gone: leave at once, without closing clients politely.
        Runtime.getRuntime().halt(0);
    }

    private void handle(String line) {
        JsonObject json;
        try {
            json = JsonParser.parseString(line).getAsJsonObject();
        } catch (JsonSyntaxException | IllegalStateException e) {
            output.send(Output.error(null, "BAD_COMMAND", false, "not a JSON object: " + e.getMessage()));
            return;
        }
        Command command = new Command(json);
        try {
            dispatch(command);
        } catch (UnsupportedException e) {
            output.send(Output.unsupported(command.id(), e.getMessage()));
        } catch (RuntimeException e) {
            output.send(Output.error(command.id(), e));
        }
    }

    private void dispatch(Command command) {
        if (command.name().equals("exit")) {
            output.send(Output.ok(command.id(), new JsonObject()));
            System.exit(0);
        }
        String name = command.text("client");
        if (command.name().equals("create")) {
            if (clients.containsKey(name)) {
                throw new IllegalArgumentException("client '" + name + "' exists already");
            }
            String role = command.text("role");
            Client client = switch (role) {
                case "producer" -> new ProducerClient(name, output);
                case "consumer" -> new ConsumerClient(name, output);
                default -> throw new UnsupportedException("role " + role);
            };
            clients.put(name, client);
            client.submit(command);
            return;
        }
        Client client = clients.get(name);
        if (client == null) {
            throw new IllegalArgumentException("no client '" + name + "': create it first");
        }
        client.submit(command);
    }
}
