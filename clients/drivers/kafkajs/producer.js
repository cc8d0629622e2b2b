// SPDX-License-Identifier: Apache-2.0
// A kafkajs producer. kafkajs asks applications to call connect(); the driver does so at the
// first use, as its documentation's examples do right before sending.
import { Kafka, logLevel, Partitioners } from 'kafkajs';
import { options } from './config.js';
import { logCreator } from './log.js';
import { describe, send } from './output.js';

const BATCH = 1000;

export class ProducerClient {
  role = 'producer';
  #name;
  #options;
  #producer;
  #connected;
  #pending = new Set();
  #sent = 0;

  constructor(name, config) {
    this.#name = name;
    this.#options = options('producer', config);
    const kafka = new Kafka({ ...this.#options.kafka, logLevel: logLevel.WARN, logCreator });
    this.#producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner, ...this.#options.client });
  }

  async on_send(command) {
    const count = command.count ?? 1;
    const work = this.#deliver(command, count);
    if (!command.async) return work;
    const first = this.#sent;
    this.#sent += count;
    const reported = work.then(
      (place) => this.#report(first, count, { ...place }),
      (error) => this.#report(first, count, { error: describe(error) }),
    );
    this.#pending.add(reported);
    reported.finally(() => this.#pending.delete(reported));
    return {};
  }

  async on_flush() {
    await Promise.all(this.#pending);
    return {};
  }

  // disconnect() waits for nothing: applications await what they sent before.
  async on_close() {
    await Promise.all(this.#pending);
    await this.#producer.disconnect();
    return {};
  }

  async #deliver(command, count) {
    this.#connected ??= this.#producer.connect();
    await this.#connected;
    let last;
    for (let done = 0; done < count; done += BATCH) {
      const messages = Array.from({ length: Math.min(BATCH, count - done) }, () => message(command));
      [last] = await this.#producer.send({ topic: command.topic, messages, ...this.#options.send });
    }
    return { topic: command.topic, partition: last?.partition ?? -1, offset: Number(last?.baseOffset ?? -1) };
  }

  #report(first, count, outcome) {
    for (let i = 0; i < count; i += 1) {
      send({ event: 'delivered', client: this.#name, seq: first + i, ...outcome });
    }
  }
}

function message(command) {
  return {
    key: command.key ?? null,
    value: command.size !== undefined ? Buffer.alloc(command.size) : command.value ?? null,
    ...(command.partition !== undefined && { partition: command.partition }),
    ...(command.headers !== undefined && { headers: command.headers }),
  };
}
