// SPDX-License-Identifier: Apache-2.0
package io.ktrial.driver;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** One Kafka client and the only thread that calls it; commands are answered in order. */
abstract class Client {
    private final BlockingQueue<Command> commands = new LinkedBlockingQueue<>();
    protected final String name;
    protected final Output output;
    private boolean started;

    Client(String name, Output output) {
        this.name = name;
        this.output = output;
    }

    final void submit(Command command) {
        if (!started) {
            started = true;
            Thread thread = new Thread(this::run, "driver-" + name);
            thread.setDaemon(true);
            thread.start();
        }
        commands.add(command);
    }

    private void run() {
        try {
            while (true) {
                Command command = waiting() ? commands.poll() : commands.take();
                if (command == null) {
                    idle();
                } else {
                    answer(command);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void answer(Command command) {
        try {
            JsonObject result = execute(command);
            if (result != null) {
                output.send(Output.ok(command.id(), result));
            }
        } catch (UnsupportedException e) {
            output.send(Output.unsupported(command.id(), e.getMessage()));
        } catch (Exception e) {
            output.send(Output.error(command.id(), e));
        }
    }

    /** True if a command waits: a background poll gives way to it. */
    protected final boolean interrupted() {
        return !commands.isEmpty();
    }

    /** True while there is background work, done by idle() between commands. */
    protected boolean waiting() {
        return false;
    }

    protected void idle() {}

    /** The result, or null if the command has been answered already. */
    protected abstract JsonObject execute(Command command) throws Exception;

    /** The configuration of a create command; a key this release does not have is unsupported. */
    protected static Properties config(Command command, Set<String> known) {
        Properties properties = new Properties();
        for (Map.Entry<String, JsonElement> entry : command.object("config").entrySet()) {
            if (!known.contains(entry.getKey())) {
                throw new UnsupportedException("config " + entry.getKey());
            }
            properties.put(entry.getKey(), entry.getValue().getAsString());
        }
        return properties;
    }
}
