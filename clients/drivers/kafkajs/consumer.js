// SPDX-License-Identifier: Apache-2.0
// A kafkajs consumer. It has no poll(): the first poll command starts run(), which then pushes
// records until close; later polls only wait and count. connect() is called before subscribe(),
// as kafkajs' documentation says.
import { Kafka, logLevel } from 'kafkajs';
import { options, Unsupported } from './config.js';
import { logCreator } from './log.js';
import { send } from './output.js';

export class ConsumerClient {
  role = 'consumer';
  #name;
  #options;
  #consumer;
  #running = false;
  #records = 0;
  #wake = () => {};
  #next = new Map();

  constructor(name, config) {
    this.#name = name;
    this.#options = options('consumer', config);
    if (this.#options.client.groupId === undefined) throw new Unsupported('a consumer without group.id');
    const kafka = new Kafka({ ...this.#options.kafka, logLevel: logLevel.WARN, logCreator });
    this.#consumer = kafka.consumer(this.#options.client);
    this.#consumer.on('consumer.group_join', ({ payload }) => this.#rebalance(payload.memberAssignment));
  }

  async on_subscribe(command) {
    await this.#consumer.connect();
    await this.#consumer.subscribe({ topics: command.topics, fromBeginning: this.#options.fromBeginning });
    return {};
  }

  async on_poll(command) {
    await this.#run();
    if (command.background) return {};
    const start = this.#records;
    const wanted = command.until_records ?? Infinity;
    const until = Date.now() + (command.for_ms ?? 0);
    while (this.#records - start < wanted && Date.now() < until) {
      await new Promise((resolve) => {
        const timer = setTimeout(resolve, until - Date.now());
        this.#wake = () => { clearTimeout(timer); resolve(); };
      });
    }
    return { records: this.#records - start };
  }

  async on_stop_poll() {
    await this.#consumer.stop();
    this.#running = false;
    return {};
  }

  async on_commit() {
    const offsets = [...this.#next].map(([place, offset]) => {
      const at = place.lastIndexOf('-');
      return { topic: place.slice(0, at), partition: Number(place.slice(at + 1)), offset: String(offset) };
    });
    if (offsets.length > 0) await this.#consumer.commitOffsets(offsets);
    return {};
  }

  async on_seek(command) {
    this.#consumer.seek({ topic: command.topic, partition: command.partition, offset: String(command.offset) });
    return {};
  }

  async on_close() {
    await this.#consumer.disconnect();
    return {};
  }

  async #run() {
    if (this.#running) return;
    this.#running = true;
    await this.#consumer.run({
      ...this.#options.run,
      eachMessage: async ({ topic, partition, message }) => {
        this.#records += 1;
        this.#next.set(`${topic}-${partition}`, Number(message.offset) + 1);
        send({ event: 'record', client: this.#name, topic, partition, offset: Number(message.offset), size: message.value?.length ?? 0 });
        this.#wake();
      },
    });
  }

  #rebalance(assignment) {
    const partitions = Object.entries(assignment ?? {})
      .flatMap(([topic, list]) => list.map((partition) => ({ topic, partition })));
    send({ event: 'rebalance', client: this.#name, kind: 'assigned', partitions });
  }
}
