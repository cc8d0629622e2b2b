// SPDX-License-Identifier: Apache-2.0
// Drives kafkajs by the JSON-lines protocol of docs/drivers.md: one command a line on stdin, one
// answer each and any number of events on stdout.
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { ConsumerClient } from './consumer.js';
import { knownKeys, Unsupported } from './config.js';
import { answer, describe, send } from './output.js';
import { ProducerClient } from './producer.js';

const { version } = createRequire(import.meta.url)('kafkajs/package.json');

send({
  event: 'hello', protocol: 1, name: 'kafkajs', version, roles: ['producer', 'consumer'],
  commands: ['create', 'send', 'flush', 'subscribe', 'poll', 'stop_poll', 'commit', 'seek', 'close', 'exit'],
  config: knownKeys(), capabilities: ['metadata_age', 'idempotence'],
});

const clients = new Map();

async function execute(command) {
  if (command.cmd === 'exit') {
    answer(command.id, { ok: true, result: {} }, () => process.exit(0));
    return undefined;
  }
  if (typeof command.cmd !== 'string') throw new Error("member 'cmd' must be a string");
  if (typeof command.client !== 'string') throw new Error("member 'client' must be a string");
  if (command.cmd === 'create') {
    if (clients.has(command.client)) throw new Error(`client '${command.client}' exists already`);
    const made = { producer: ProducerClient, consumer: ConsumerClient }[command.role];
    if (made === undefined) throw new Unsupported(`role ${command.role}`);
    clients.set(command.client, new made(command.client, command.config ?? {}));
    return {};
  }
  const client = clients.get(command.client);
  if (client === undefined) throw new Error(`no client '${command.client}': create it first`);
  const method = client[`on_${command.cmd}`];
  if (method === undefined) throw new Unsupported(`command ${command.cmd} for a ${client.role}`);
  return method.call(client, command);
}

// Commands of one client are answered in order; those of others do not wait for them.
const queues = new Map();

function handle(line) {
  let command;
  try {
    command = JSON.parse(line);
    if (command === null || typeof command !== 'object' || Array.isArray(command)) throw new Error('no object');
  } catch (error) {
    answer(null, { ok: false, error: describe({ name: 'BAD_COMMAND', message: `not a JSON object: ${error.message}` }) });
    return;
  }
  const before = queues.get(command.client) ?? Promise.resolve();
  queues.set(command.client, before.then(async () => {
    try {
      const result = await execute(command);
      if (result !== undefined) answer(command.id, { ok: true, result });
    } catch (error) {
      if (error instanceof Unsupported) answer(command.id, { unsupported: error.message });
      else answer(command.id, { ok: false, error: describe(error) });
    }
  }));
}

const lines = createInterface({ input: process.stdin, crlfDelay: Infinity });
lines.on('line', (line) => { if (line.trim() !== '') handle(line); });
// The harness is gone: leave at once, without closing clients politely.
lines.on('close', () => process.exit(0));
