// SPDX-License-Identifier: Apache-2.0
// The live page of a cluster, used as people use it.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { spawn } from 'node:child_process';
import { Browser, Cluster, freePort, until } from './bench.js';

let browser, cluster;
before(async () => { [browser, cluster] = await Promise.all([Browser.start(), Cluster.start()]); });
after(async () => { await browser?.stop(); await cluster?.stop(); });

const rows = (page, id) => page.locator(`#${id} tbody tr`);
const problemOf = (page) => page.locator('#problem').textContent();
const openPage = (options) => browser.open(cluster.control, options);
async function clean() { await cluster.ask('/v1/rules', undefined, 'DELETE'); }

test('shows brokers and topics, and nothing goes wrong while it loads', async () => {
  const page = await openPage();
  await until('three brokers', async () => (await rows(page, 'brokers').count()) === 3);
  assert.match(await rows(page, 'brokers').first().textContent(), /127\.0\.0\.1:\d+.*up/);
  assert.equal(await page.textContent('#bootstrap'), cluster.bootstrap);
  await until('three partitions', async () => (await rows(page, 'topics').count()) === 3);
  assert.match(await page.textContent('#rules'), /every broker behaves/);
  await page.done();
});

test('shows who is connected, their groups, and requests as they happen', async () => {
  const page = await openPage();
  const consumer = spawn('kcat', ['-b', cluster.bootstrap, '-X', 'client.id=reader', '-G', 'readers', 'orders'], { stdio: 'ignore' });
  try {
    await until('its group', async () => /readers\s*Stable/i.test(await page.textContent('#groups')));
    await until('its connection', async () => /reader/.test(await page.textContent('#connections')));
    cluster.produce();
    await until('its request', async () => /Produce v\d+\s+\d+ B\s+browser-test/.test(await page.textContent('#log')));
    await until('the record', async () => /0 – 1/.test(await rows(page, 'topics').first().textContent()));
    await page.fill('#filter', 'produce');
    await until('the others are hidden', async () => !(await page.locator('#log li:visible', { hasText: 'Fetch' }).count()));
    assert.ok(await page.locator('#log li:visible', { hasText: 'Produce' }).count());
    await rows(page, 'connections').first().getByRole('button', { name: 'reset' }).click();
    await until('the end of a connection', async () => await page.locator('#log .close').count());
  } finally {
    consumer.kill();
  }
  await page.done();
});

test('a fault is chosen, added, hits, and is removed', async () => {
  const page = await openPage();
  await page.getByRole('button', { name: 'not the leader' }).click();
  await page.getByRole('button', { name: 'Add rule' }).click();
  const rule = rows(page, 'rules').first();
  await until('the rule', async () => /NOT_LEADER_OR_FOLLOWER/.test(await rule.textContent()));
  assert.equal(await rule.locator('td').nth(4).textContent(), '0');
  assert.equal(cluster.produce().status, 0);
  await until('its hit', async () => (await rule.locator('td').nth(4).textContent()) === '1');
  await rule.getByRole('button', { name: 'remove' }).click();
  await until('no rule', async () => (await rows(page, 'rules').count()) === 0);
  assert.deepEqual(await cluster.ask('/v1/rules'), []);
  await page.done();
});

test('every fault and every action that the page offers is one that the cluster takes', async () => {
  const page = await openPage();
  const faults = await page.locator('#faults button').count();
  const actions = await page.locator('#action option').evaluateAll((all) => all.map((option) => option.value));
  assert.ok(faults >= 12 && actions.length >= 25);
  const add = async (what) => {
    const before = (await cluster.ask('/v1/rules')).length;
    await page.click('#submit');
    await until(`${what}: ${await page.inputValue('#rule')}`, async () => {
      assert.equal(await problemOf(page), '');
      return (await cluster.ask('/v1/rules')).length === before + 1;
    });
  };
  for (let i = 0; i < faults; ++i) {
    await page.locator('#faults button').nth(i).click();
    await add(`fault ${i}`);
  }
  for (const action of actions) {
    await page.selectOption('#action', action);
    await add(action);
  }
  await page.getByRole('button', { name: 'remove all' }).click();
  await until('no rule', async () => (await rows(page, 'rules').count()) === 0);
  await page.done();
});

test('the form writes the rule, and the cluster says what is wrong with it', async () => {
  const page = await openPage({ expected: /400 \(Bad Request\)/ });
  await page.fill('[name=when-topic]', 'orders');
  await page.fill('[name=when-partition]', '2');
  await page.selectOption('#action', 'first');
  await page.fill('[name=do-first]', '7');
  const rule = JSON.parse(await page.inputValue('#rule'));
  assert.deepEqual(rule.when, { topic: 'orders', partition: 2 });
  assert.deepEqual(rule.do, { send: { first: 7 }, close: 'rst' });

  await page.selectOption('#action', 'error');
  await page.fill('[name=do-error]', 'NOT_LEADER');
  await page.press('[name=do-error]', 'Enter');
  await until('where it is wrong', async () => /at \/do\/error/.test(await problemOf(page)));
  assert.match(await problemOf(page), /not 'NOT_LEADER'/);
  assert.equal(await page.evaluate(() => getSelection().toString()), '"error"');

  await page.fill('#rule', '{"id": ');
  await page.press('#rule', 'Control+Enter');
  await until('that it is no JSON', async () => /not JSON/.test(await problemOf(page)));
  assert.deepEqual(await cluster.ask('/v1/rules'), []);
  await page.done();
});

test('can be used with the keyboard alone, while it goes on changing', async () => {
  await clean();
  const page = await openPage();
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement.className), 'skip');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement.textContent), 'not the leader');
  await page.keyboard.press('Enter');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'submit');
  await page.keyboard.press('Enter');
  await until('the rule', async () => (await rows(page, 'rules').count()) === 1);
  await rows(page, 'rules').first().getByRole('button', { name: 'remove' }).focus();
  cluster.produce();
  await until('its hit', async () => (await rows(page, 'rules').first().locator('td').nth(4).textContent()) === '1');
  await page.keyboard.press('Enter');
  await until('no rule', async () => (await rows(page, 'rules').count()) === 0);
  await page.done();
});

test('what clients call themselves is shown, not run', async () => {
  const page = await openPage();
  const evil = '<img src=x onerror="document.title=1"><script>document.title=2</script>';
  const consumer = spawn('kcat', ['-b', cluster.bootstrap, '-X', `client.id=${evil}`, '-G', `group${evil}`, 'orders'], { stdio: 'ignore' });
  try {
    await cluster.ask('/v1/rules', { id: evil, when: { client_id: evil, api: 'Metadata' }, do: { delay: '1ms' } });
    for (const id of ['rules', 'connections', 'groups', 'log'])
      await until(`it in ${id}`, async () => (await page.textContent(`#${id}`)).includes(evil));
    await rows(page, 'rules').first().getByRole('button', { name: 'edit' }).click();
    assert.equal(JSON.parse(await page.inputValue('#rule')).id, evil);
    assert.equal(await page.locator('main img').count(), 0);
    assert.equal(await page.title(), 'ktrial cluster');
    await rows(page, 'rules').first().getByRole('button', { name: 'remove' }).click();
    await until('no rule', async () => (await rows(page, 'rules').count()) === 0);
  } finally {
    consumer.kill();
  }
  await page.done();
});

test('says when the cluster has gone, and goes on with the one that comes back', async () => {
  const port = String(await freePort());
  const first = await Cluster.start('--control', port);
  const page = await browser.open(first.control, { expected: /ERR_CONNECTION_REFUSED|WebSocket connection|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET/ });
  await first.ask('/v1/rules', { id: 'of the first', do: { delay: 1 } });
  await until('a rule', async () => (await rows(page, 'rules').count()) === 1);
  await first.stop();
  await until('the notice', async () => /does not answer/.test(await page.textContent('#connection')));
  assert.equal(await page.textContent('#stream'), 'not connected');
  const second = await Cluster.start('--control', port);
  try {
    await until('the other notice', async () => /Connected again/.test(await page.textContent('#connection')));
    await until('no rule', async () => (await rows(page, 'rules').count()) === 0);
    await until('its address', async () => (await page.textContent('#bootstrap')) === second.bootstrap);
    second.produce();
    await until('its requests', async () => /Produce/.test(await page.textContent('#log')));
    await page.click('#connection-close');
    assert.ok(await page.locator('#connection').isHidden());
  } finally {
    await second.stop();
  }
  await page.done();
});

test('a token in the address opens it, and none does not', async () => {
  const guarded = await Cluster.start('--control-token', 'a secret&');
  try {
    const page = await browser.open(`${guarded.control}?token=${encodeURIComponent('a secret&')}`);
    await until('three brokers', async () => (await rows(page, 'brokers').count()) === 3);
    await page.done();
    assert.equal((await fetch(guarded.control)).status, 401);
  } finally {
    await guarded.stop();
  }
});
