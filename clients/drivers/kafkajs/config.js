// SPDX-License-Identifier: Apache-2.0
// Java's configuration names, mapped to kafkajs' options. A key or value that kafkajs cannot
// honour is unsupported, never ignored.
import { CompressionTypes } from 'kafkajs';

export class Unsupported extends Error {}

const number = (value) => {
  const parsed = Number(value);
  if (!Number.isFinite(parsed)) throw new Unsupported(`value ${value}: a number is expected`);
  return parsed;
};
const flag = (value) => String(value) === 'true';

// One value only: what kafkajs does anyway.
const only = (...accepted) => (value) => {
  if (!accepted.includes(String(value))) throw new Unsupported(`value ${value}: kafkajs has only ${accepted.join(' or ')}`);
};

// Each entry puts its value where kafkajs wants it: options of new Kafka(), of producer() or
// consumer(), of send(), of run().
const common = {
  'bootstrap.servers': (o, v) => { o.kafka.brokers = String(v).split(',').map((s) => s.trim()); },
  'client.id': (o, v) => { o.kafka.clientId = String(v); },
  'request.timeout.ms': (o, v) => { o.kafka.requestTimeout = number(v); },
  'socket.connection.setup.timeout.ms': (o, v) => { o.kafka.connectionTimeout = number(v); },
  'retry.backoff.ms': (o, v) => { o.kafka.retry.initialRetryTime = number(v); },
  'retry.backoff.max.ms': (o, v) => { o.kafka.retry.maxRetryTime = number(v); },
  // kafkajs has one retrier for requests and reconnects: the later key wins, as its own option would.
  'reconnect.backoff.ms': (o, v) => { o.kafka.retry.initialRetryTime = number(v); },
  'reconnect.backoff.max.ms': (o, v) => { o.kafka.retry.maxRetryTime = number(v); },
  'metadata.max.age.ms': (o, v) => { o.client.metadataMaxAge = number(v); },
  'allow.auto.create.topics': (o, v) => { o.client.allowAutoTopicCreation = flag(v); },
  'security.protocol': (o, v) => only('PLAINTEXT')(v),
};

const producer = {
  acks: (o, v) => { o.send.acks = String(v) === 'all' ? -1 : number(v); },
  'linger.ms': (o, v) => only('0')(v),
  'compression.type': (o, v) => {
    const type = { none: CompressionTypes.None, gzip: CompressionTypes.GZIP }[String(v)];
    if (type === undefined) throw new Unsupported(`value ${v}: kafkajs alone has none and gzip`);
    o.send.compression = type;
  },
  'enable.idempotence': (o, v) => { o.client.idempotent = flag(v); },
  'max.in.flight.requests.per.connection': (o, v) => { o.client.maxInFlightRequests = number(v); },
};

const consumer = {
  'group.id': (o, v) => { o.client.groupId = String(v); },
  'group.protocol': (o, v) => only('classic')(v),
  'session.timeout.ms': (o, v) => { o.client.sessionTimeout = number(v); },
  'heartbeat.interval.ms': (o, v) => { o.client.heartbeatInterval = number(v); },
  'max.partition.fetch.bytes': (o, v) => { o.client.maxBytesPerPartition = number(v); },
  'fetch.min.bytes': (o, v) => { o.client.minBytes = number(v); },
  'fetch.max.bytes': (o, v) => { o.client.maxBytes = number(v); },
  'fetch.max.wait.ms': (o, v) => { o.client.maxWaitTimeInMs = number(v); },
  'client.rack': (o, v) => { o.client.rackId = String(v); },
  'auto.offset.reset': (o, v) => { only('earliest', 'latest')(v); o.fromBeginning = String(v) === 'earliest'; },
  'enable.auto.commit': (o, v) => { o.run.autoCommit = flag(v); },
  'auto.commit.interval.ms': (o, v) => { o.run.autoCommitInterval = number(v); },
};

export function options(role, config) {
  const table = { ...common, ...(role === 'producer' ? producer : consumer) };
  const made = { kafka: { retry: {} }, client: {}, send: {}, run: {}, fromBeginning: false };
  for (const [key, value] of Object.entries(config)) {
    if (table[key] === undefined) throw new Unsupported(`config ${key}`);
    try {
      table[key](made, value);
    } catch (error) {
      if (error instanceof Unsupported) throw new Unsupported(`config ${key}: ${error.message}`);
      throw error;
    }
  }
  return made;
}

export function knownKeys() {
  return [...new Set([common, producer, consumer].flatMap(Object.keys))].sort();
}
