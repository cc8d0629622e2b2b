// SPDX-License-Identifier: Apache-2.0
// kafkajs' log goes to stderr: stdout belongs to the protocol.

export const logCreator = () => ({ namespace, label, log }) => {
  const { message, ...rest } = log;
  process.stderr.write(`${label} [${namespace}] ${message} ${JSON.stringify(rest)}\n`);
};
