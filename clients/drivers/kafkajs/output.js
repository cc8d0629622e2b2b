// SPDX-License-Identifier: Apache-2.0
// Whole JSON lines to stdout, and errors in the protocol's form.

export function send(line, done) {
  process.stdout.write(`${JSON.stringify(line)}\n`, done);
}

export function answer(id, body, done) {
  send({ id: id ?? null, ...body }, done);
}

export function describe(error) {
  const code = error.type ?? error.cause?.type ?? error.code ?? error.name ?? 'Error';
  return { code: String(code), retriable: error.retriable === true, message: String(error.message ?? error) };
}
