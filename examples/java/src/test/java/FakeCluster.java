// SPDX-License-Identifier: Apache-2.0
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A fake Kafka cluster as a child process. */
final class FakeCluster implements AutoCloseable {
  private final HttpClient http = HttpClient.newHttpClient();
  private final Process process;
  private final String control;
  final String bootstrap;

  FakeCluster(String... options) throws IOException {
    String program = System.getenv().getOrDefault("KTRIAL", "ktrial");
    List<String> command = new ArrayList<>(List.of(program, "cluster", "--port", "0", "--exit-with-parent"));
    command.addAll(List.of(options));
    process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    BufferedReader lines = process.inputReader();
    control = after("control ", lines.readLine());
    bootstrap = after("ready ", lines.readLine());
  }

  private static String after(String word, String line) {
    if (line == null || !line.startsWith(word)) throw new IllegalStateException("not ready: " + line);
    return line.substring(word.length());
  }

  private String ask(String method, String path, String body) throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(control + path)).method(method, BodyPublishers.ofString(body)).build();
    HttpResponse<String> answer = http.send(request, HttpResponse.BodyHandlers.ofString());
    if (answer.statusCode() >= 300) throw new IllegalStateException(answer.body());
    return answer.body();
  }

  void rule(String json) throws IOException, InterruptedException {
    ask("POST", "v1/rules", json);
  }

  int hits(String rule) throws IOException, InterruptedException {
    Matcher hits = Pattern.compile("\"hits\":\\s*(\\d+)").matcher(ask("GET", "v1/rules/" + rule, ""));
    if (!hits.find()) throw new IllegalStateException("no such rule: " + rule);
    return Integer.parseInt(hits.group(1));
  }

  @Override
  public void close() {
    process.destroy();
  }
}
