// SPDX-License-Identifier: Apache-2.0
// What a test needs: a cluster of its own, clients that talk to it, and a browser that looks at it.
// Whatever is wrong in the page (an error, a refused script) fails the test that looked.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { chromium } from 'playwright-core';

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// True in the end, or the test fails with what was awaited.
export async function until(what, look, ms = 10_000) {
  const end = Date.now() + ms;
  let last;
  for (;;) {
    try {
      last = await look();
      if (last) return last;
    } catch (error) {
      last = error;
    }
    assert.ok(Date.now() < end, `not seen in ${ms} ms: ${what} (last: ${last})`);
    await sleep(50);
  }
}

export async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

export class Cluster {
  static async start(...options) {
    const cluster = new Cluster();
    cluster.process = spawn(process.env.KTRIAL,
      ['cluster', '--json', '--exit-with-parent', '--brokers', '3', '--port', '0', '--topic', 'orders:3', ...options],
      { stdio: ['ignore', 'pipe', 'inherit'] });
    cluster.ended = new Promise((resolve) => cluster.process.once('exit', resolve));
    const line = await new Promise((resolve, reject) => {
      createInterface(cluster.process.stdout).once('line', resolve);
      cluster.process.once('exit', (code) => reject(new Error(`ktrial cluster ended with ${code}`)));
    });
    Object.assign(cluster, JSON.parse(line));
    return cluster;
  }
  async stop() {
    this.process.kill('SIGTERM');
    await this.ended;
  }
  async ask(path, body, method = body ? 'POST' : 'GET') {
    const answer = await fetch(this.control + path.slice(1), { method, body: body && JSON.stringify(body) });
    const text = await answer.text();
    return text ? JSON.parse(text) : null;
  }
  // kcat, a librdkafka client, to its end.
  kcat(...options) {
    return spawnSync('kcat', ['-b', this.bootstrap, ...options], { input: 'a record\n', encoding: 'utf8', timeout: 20_000 });
  }
  produce(...options) {
    return this.kcat('-P', '-t', 'orders', '-p', '0', '-X', 'client.id=browser-test', ...options);
  }
}

export class Browser {
  static async start() {
    const browser = new Browser();
    browser.chromium = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] });
    return browser;
  }
  stop() { return this.chromium.close(); }

  // A page whose errors fail the test, but for those that `expected` describes.
  async open(url, { expected = /^$/, ...options } = {}) {
    const context = await this.chromium.newContext({ viewport: { width: 1440, height: 1000 }, ...options });
    const page = await context.newPage();
    page.troubles = [];
    const trouble = (text) => { if (!expected.test(text)) page.troubles.push(text); };
    page.on('pageerror', (error) => trouble(`error: ${error.message}`));
    page.on('console', (message) => { if (['error', 'warning'].includes(message.type())) trouble(`console: ${message.text()}`); });
    page.on('dialog', async (dialog) => { trouble(`dialog: ${dialog.message()}`); await dialog.dismiss(); });
    page.done = async () => {
      assert.deepEqual(page.troubles, []);
      await context.close();
    };
    await page.goto(url);
    await until('the page is live', async () => (await page.textContent('#stream')) === 'live');
    return page;
  }
}
