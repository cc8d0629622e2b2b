// SPDX-License-Identifier: Apache-2.0
#include "cluster.h"

#include <boost/asio/ip/tcp.hpp>
#include <boost/json.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

Cluster::Cluster(std::vector<std::string> options) {
  const char* const program = std::getenv("KTRIAL");
  std::vector<std::string> command{program != nullptr ? program : "ktrial",
                                   "cluster",
                                   "--port",
                                   "0",
                                   "--json",
                                   "--exit-with-parent"};
  command.insert(command.end(), options.begin(), options.end());
  std::vector<char*> argv;
  for (std::string& argument : command) argv.push_back(argument.data());
  argv.push_back(nullptr);
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("no pipe");
  child_ = fork();
  if (child_ == 0) {
    dup2(ends[1], STDOUT_FILENO);
    execvp(argv[0], argv.data());
    _exit(127);
  }
  close(ends[1]);
  std::string line;
  for (char c = 0; read(ends[0], &c, 1) == 1 && c != '\n';) line += c;
  close(ends[0]);
  if (line.empty()) throw std::runtime_error("the cluster did not start");
  const boost::json::object ready = boost::json::parse(line).as_object();
  bootstrap_ = ready.at("bootstrap").as_string();
  control_ = ready.at("control").as_string();
  control_ = control_.substr(7, control_.size() - 8);  // http://ADDRESS/
}

Cluster::~Cluster() {
  kill(child_, SIGTERM);
  waitpid(child_, nullptr, 0);
}

long Cluster::hits(const std::string& rule) const {
  return boost::json::parse(ask("GET", "/v1/rules/" + rule)).at("hits").as_int64();
}

std::string Cluster::ask(const std::string& method, const std::string& path,
                         const std::string& body) const {
  const std::size_t colon = control_.rfind(':');
  boost::asio::ip::tcp::iostream http(control_.substr(0, colon), control_.substr(colon + 1));
  http << method << ' ' << path << " HTTP/1.1\r\nHost: " << control_
       << "\r\nConnection: close\r\nContent-Length: " << body.size() << "\r\n\r\n"
       << body << std::flush;
  const std::string answer{std::istreambuf_iterator<char>(http), {}};
  if (!answer.starts_with("HTTP/1.1 2")) throw std::runtime_error(answer);
  return answer.substr(answer.find("\r\n\r\n") + 4);
}
