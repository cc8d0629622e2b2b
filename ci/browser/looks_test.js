// SPDX-License-Identifier: Apache-2.0
// How the live page looks: both colour schemes, wide and narrow, with much in it. Pictures are left in
// build/browser/ for people to look at.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { spawn } from 'node:child_process';
import { Browser, Cluster, until } from './bench.js';

let browser, cluster, consumer;
before(async () => {
  [browser, cluster] = await Promise.all([Browser.start(),
    Cluster.start('--topic', `${'a-very-long-topic-name.'.repeat(9)}:2`, '--topic', 'payments:12')]);
  consumer = spawn('kcat', ['-b', cluster.bootstrap, '-X', 'client.id=invoices-service', '-G', 'invoices', 'orders', 'payments'], { stdio: 'ignore' });
  await cluster.ask('/v1/rules', { id: 'moved', when: { api: 'Produce', topic: 'orders', times: 2 }, do: { error: 'NOT_LEADER_OR_FOLLOWER' } });
  await cluster.ask('/v1/rules', { id: 'stale-metadata', when: { api: 'Metadata', broker: 3 }, do: { view: { lag: '5s' } } });
  await cluster.ask('/v1/brokers/3/actions', { do: 'stop' });
  await until('the group', async () => (await cluster.ask('/v1/groups')).some((group) => group.state === 'Stable'));
  cluster.produce();
});
after(async () => { consumer?.kill(); await browser?.stop(); await cluster?.stop(); });

// WCAG 2.1, 1.4.3: the contrast of each text with what is behind it.
function contrasts() {
  const channel = (c) => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const colour = (text) => text.match(/[\d.]+/g).map(Number);
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const found = colour(getComputedStyle(at).backgroundColor);
      if (found.length === 3 || found[3] > 0) return found;
    }
    return [255, 255, 255];
  };
  const poor = new Map();
  for (const element of document.querySelectorAll('body *')) {
    const own = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent.trim());
    if (!own || !element.checkVisibility()) continue;
    const [a, b] = [light(colour(getComputedStyle(element).color)), light(behind(element))].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < 4.5) poor.set(`${element.tagName}.${element.className} ${element.textContent.slice(0, 20)}`, ratio.toFixed(2));
  }
  return [...poor];
}

for (const colorScheme of ['light', 'dark']) {
  for (const [name, viewport] of [['wide', { width: 1440, height: 1000 }], ['narrow', { width: 360, height: 780 }]]) {
    test(`${colorScheme}, ${name}: legible, and nothing beyond the edge`, async () => {
      const page = await browser.open(cluster.control, { colorScheme, viewport });
      await until('the group', async () => /invoices/.test(await page.textContent('#groups')));
      cluster.produce();
      await until('requests', async () => (await page.locator('#log li').count()) > 8);
      await page.waitForTimeout(1300);  // what has just changed is coloured for a moment
      assert.deepEqual(await page.evaluate(contrasts), []);
      assert.ok(await page.evaluate(() => document.scrollingElement.scrollWidth <= innerWidth), 'it scrolls sideways');
      await page.screenshot({ path: `${process.env.OUT}/${colorScheme}-${name}.png`, fullPage: true });
      await page.done();
    });
  }
}

test('controls have names', async () => {
  const page = await browser.open(cluster.control);
  const nameless = await page.evaluate(() => [...document.querySelectorAll('button, input, select, textarea')]
    .filter((control) => !(control.textContent.trim() || control.labels?.[0]?.textContent.trim() || control.getAttribute('aria-label')))
    .map((control) => control.outerHTML));
  assert.deepEqual(nameless, []);
  await page.done();
});
