// SPDX-License-Identifier: Apache-2.0
#include "member.h"

#include <stdexcept>

namespace program {
namespace {

struct DestroyList {
  void operator()(rd_kafka_topic_partition_list_t* list) const {
    rd_kafka_topic_partition_list_destroy(list);
  }
};
using List = std::unique_ptr<rd_kafka_topic_partition_list_t, DestroyList>;

// The opaque of each record counts what was not delivered.
void delivered(rd_kafka_t*, const rd_kafka_message_t* message, void*) {
  if (message->err != RD_KAFKA_RESP_ERR_NO_ERROR) ++*static_cast<int*>(message->_private);
}

}  // namespace

void check(rd_kafka_resp_err_t error) {
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR) throw std::runtime_error(rd_kafka_err2str(error));
}

void check(rd_kafka_error_t* error) {
  if (error == nullptr) return;
  const std::string text = rd_kafka_error_string(error);
  rd_kafka_error_destroy(error);
  throw std::runtime_error(text);
}

Handle open(rd_kafka_type_t type, const Config& config) {
  rd_kafka_conf_t* const conf = rd_kafka_conf_new();
  char reason[512];
  for (const auto& [key, value] : config) {
    if (rd_kafka_conf_set(conf, key.c_str(), value.c_str(), reason, sizeof reason) !=
        RD_KAFKA_CONF_OK)
      throw std::runtime_error(reason);
  }
  if (type == RD_KAFKA_PRODUCER) rd_kafka_conf_set_dr_msg_cb(conf, &delivered);
  Handle handle(rd_kafka_new(type, conf, reason, sizeof reason));
  if (handle == nullptr) throw std::runtime_error(reason);
  return handle;
}

void send(rd_kafka_t* producer, const std::string& topic, const std::vector<Row>& rows) {
  int lost = 0;
  for (const Row& row : rows) {
    check(rd_kafka_producev(
        producer, RD_KAFKA_V_TOPIC(topic.c_str()), RD_KAFKA_V_PARTITION(row.partition),
        RD_KAFKA_V_VALUE(const_cast<char*>(row.value.data()), row.value.size()),
        RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY), RD_KAFKA_V_OPAQUE(&lost), RD_KAFKA_V_END));
  }
  check(rd_kafka_flush(producer, 30'000));
  if (lost != 0) throw std::runtime_error(std::to_string(lost) + " records were not delivered");
}

Member::Member(const std::string& topic, const Config& config)
    : handle_(open(RD_KAFKA_CONSUMER, config)) {
  check(rd_kafka_poll_set_consumer(handle_.get()));
  const List topics(rd_kafka_topic_partition_list_new(1));
  rd_kafka_topic_partition_list_add(topics.get(), topic.c_str(), RD_KAFKA_PARTITION_UA);
  check(rd_kafka_subscribe(handle_.get(), topics.get()));
}

std::vector<Row> Member::poll() {
  std::vector<Row> rows;
  int wait = 100;
  while (rd_kafka_message_t* const message = rd_kafka_consumer_poll(handle_.get(), wait)) {
    const rd_kafka_resp_err_t error = message->err;
    if (error == RD_KAFKA_RESP_ERR_NO_ERROR)
      rows.push_back(
          {message->partition, {static_cast<const char*>(message->payload), message->len}});
    rd_kafka_message_destroy(message);
    check(error);
    wait = 0;
  }
  return rows;
}

std::vector<int> Member::assignment() const {
  rd_kafka_topic_partition_list_t* raw = nullptr;
  check(rd_kafka_assignment(handle_.get(), &raw));
  const List list(raw);
  std::vector<int> partitions;
  for (int i = 0; i < list->cnt; ++i) partitions.push_back(list->elems[i].partition);
  return partitions;
}

void Member::commit() { check(rd_kafka_commit(handle_.get(), nullptr, 0)); }

void Member::close() { check(rd_kafka_consumer_close(handle_.get())); }

}  // namespace program
