// SPDX-License-Identifier: Apache-2.0
// The live page of a fake cluster: what it is like now (polled after each event, at most a few times
// a second), what happens (the WebSocket), and rules to be added. Everything is put into the page as
// text: names come from whoever connects.
'use strict';

const token = new URLSearchParams(location.search).get('token');
const $ = id => document.getElementById(id);
const withToken = path => token ? path + (path.includes('?') ? '&' : '?') + 'token=' + encodeURIComponent(token) : path;

// --- asking the cluster

class Refused extends Error {
  constructor({message, at}) {
    super(at ? `${message}\nat ${at}` : message);
    this.at = at;
  }
}

class Unreachable extends Error {}

async function ask(method, path, body) {
  let answer, text;
  try {
    answer = await fetch(withToken(path), {method, body: body && JSON.stringify(body)});
    text = await answer.text();
  } catch {
    throw new Unreachable('The cluster does not answer.');
  }
  const value = text ? JSON.parse(text) : null;
  if (!answer.ok) throw new Refused(value.error);
  return value;
}

async function act(method, path, body) {
  try {
    await ask(method, path, body);
    notice('trouble', null);
  } catch (error) {
    notice('trouble', error.message, 'bad');
  }
  refreshSoon(0);
}

function notice(id, text, kind) {
  $(id).hidden = text === null;
  $(id).className = 'notice ' + (kind ?? '');
  $(id + '-text').textContent = text ?? '';
}

// --- making elements

function make(tag, {text, ...properties} = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  if (text !== undefined) element.textContent = text;
  element.append(...children);
  return element;
}
const button = (text, onclick, title = '') => make('button', {type: 'button', text, onclick, title});

function write(element, text) {
  if (element.textContent !== String(text)) element.textContent = text;
}

// A table whose rows are kept as long as what they show exists: focus and selection stay.
class Table {
  // columns: {name, className?, text?(item), className?(item), acts?(row): buttons}
  constructor(id, columns, empty) {
    this.columns = columns;
    this.rows = new Map();
    this.body = make('tbody');
    this.table = make('table', {}, make('thead', {}, make('tr', {}, ...columns.map(c =>
      make('th', {scope: 'col', text: c.name, className: c.className === 'number' ? 'number' : ''})))), this.body);
    this.empty = make('p', {className: 'empty', text: empty});
    $(id).append(this.table, this.empty);
    this.count = $(id + '-count');
  }

  show(items, key, total = items.length) {
    const left = new Set(this.rows.keys());
    let at = this.body.firstChild;
    for (const item of items) {
      const name = String(key(item));
      left.delete(name);
      const row = this.rows.get(name) ?? this.add(name, item);
      row.item = item;
      row.update();
      if (row.tr === at) at = at.nextSibling; else this.body.insertBefore(row.tr, at);
    }
    for (const name of left) {
      this.rows.get(name).tr.remove();
      this.rows.delete(name);
    }
    this.table.hidden = !items.length;
    this.empty.hidden = items.length > 0;
    write(this.count, total);
  }

  add(name, item) {
    const row = {item, tr: make('tr')};
    const updates = [];
    for (const column of this.columns) {
      const td = make('td', {className: column.className ?? ''});
      row.tr.append(td);
      if (column.acts) td.append(...column.acts(row));
      else updates.push(() => column.fill ? column.fill(td, row.item, row) : write(td, column.text(row.item)));
      if (column.acts && column.update) updates.push(() => column.update(td, row.item));
    }
    row.update = () => updates.forEach(update => update());
    this.rows.set(name, row);
    return row;
  }
}

function flash(element) {
  element.classList.remove('hit');
  void element.offsetWidth;  // so that the animation begins again
  element.classList.add('hit');
}

// --- tables

let brokers = [];
let controller = null;
const ofBroker = row => `/v1/brokers/${row.item.id}/actions`;
const brokerTable = new Table('brokers', [
  {name: 'id', fill: (td, b) => {
    const text = b.id + (b.id === controller ? ' controller' : '');
    if (td.dataset.text === text) return;
    td.dataset.text = text;
    td.replaceChildren(String(b.id), ...(b.id === controller ? [make('span', {className: 'tag', text: 'controller'})] : []));
  }},
  {name: 'address', className: 'mono', text: b => `${b.host}:${b.port}`},
  {name: 'state', fill: (td, b) => { write(td, b.listening ? 'up' : 'down'); td.className = b.listening ? 'up' : 'down'; }},
  {name: 'conns', className: 'number', text: b => b.connections},
  {name: '', className: 'acts', acts: row => [
    button('start', () => act('POST', ofBroker(row), {do: 'start'}), 'listen again'),
    button('stop', () => act('POST', ofBroker(row), {do: 'stop'}), 'close every connection and refuse new ones'),
    button('refuse', () => act('POST', ofBroker(row), {do: 'refuse'}), 'refuse new connections, keep those there are'),
    button('drop SYN', () => act('POST', ofBroker(row), {do: 'drop_syn'}), 'leave new connections without an answer'),
    button('close', () => act('POST', ofBroker(row), {do: 'close_connections'}), 'close its connections with FIN'),
    button('reset', () => act('POST', ofBroker(row), {do: 'close_connections', kind: 'rst'}), 'close its connections with RST')],
   update: (td, b) => [...td.children].forEach((each, i) => { each.hidden = b.listening ? i === 0 : i > 0 && i !== 3; })},
], 'no brokers');

const ruleTable = new Table('rules', [
  {name: 'id', className: 'name', fill: (td, r) => { write(td, r.id); td.title = r.id; }},
  {name: 'when', className: 'wide mono', text: r => JSON.stringify(r.when ?? {})},
  {name: 'do', className: 'wide mono', fill: (td, r) => write(td, JSON.stringify(r.do) + (r.error ? `\n${r.error}` : ''))},
  {name: 'seen', className: 'number', text: r => r.seen},
  {name: 'hits', className: 'number', fill: (td, r, row) => {
    if (row.hits !== undefined && row.hits !== r.hits) flash(row.tr);
    row.hits = r.hits;
    write(td, r.hits);
  }},
  {name: '', className: 'acts', acts: row => [
    button('edit', () => edit(row.item), 'put it into the editor'),
    button('remove', () => act('DELETE', '/v1/rules/' + encodeURIComponent(row.item.id)))]},
], 'No rule: every broker behaves. Choose a fault below.');

const connectionTable = new Table('connections', [
  {name: '#', className: 'number', text: c => c.id},
  {name: 'broker', className: 'number', text: c => c.broker},
  {name: 'client id', className: 'name', fill: (td, c) => { write(td, c.client_id); td.title = `${c.client_id}\n${c.principal}`; }},
  {name: 'peer', className: 'mono', text: c => c.peer},
  {name: 'last request', text: c => c.last_api},
  {name: 'requests', className: 'number', fill: (td, c, row) => {
    if (row.requests !== undefined && row.requests !== c.requests) flash(td);
    row.requests = c.requests;
    write(td, c.requests);
  }},
  {name: 'idle', className: 'number', text: c => (c.idle_ms / 1000).toFixed(1) + ' s'},
  {name: '', className: 'acts', acts: row => [
    button('close', () => act('DELETE', `/v1/connections/${row.item.id}`), 'with FIN'),
    button('reset', () => act('DELETE', `/v1/connections/${row.item.id}?kind=rst`), 'with RST')]},
], 'Nobody is connected.');

function moveLeader({topic, index, leader}) {
  const ids = brokers.map(b => b.id);
  act('POST', `/v1/topics/${encodeURIComponent(topic)}/partitions/${index}/leader`,
      {to: ids[(ids.indexOf(leader) + 1) % ids.length]});
}
const topicTable = new Table('topics', [
  {name: 'topic', className: 'name', fill: (td, p) => { write(td, p.topic); td.title = p.topic; }},
  {name: 'partition', className: 'number', text: p => p.index},
  {name: 'leader', className: 'number', text: p => p.leader},
  {name: 'epoch', className: 'number', text: p => p.leader_epoch},
  {name: 'offsets', className: 'number', text: p => `${p.start_offset} – ${p.end_offset}`},
  {name: '', className: 'acts', acts: row => [
    button('move leader', () => moveLeader(row.item), 'to the next broker'),
    button('append', () => act('POST', `/v1/topics/${encodeURIComponent(row.item.topic)}/records`,
                               {partition: row.item.index, value: 'from the live page'}), 'one record')]},
], 'No topics.');

const groupTable = new Table('groups', [
  {name: 'group', className: 'name', fill: (td, g) => { write(td, g.id); td.title = g.id; }},
  {name: 'state', text: g => g.state},
  {name: 'protocol', text: g => g.protocol},
  {name: 'coordinator', className: 'number', text: g => g.coordinator},
], 'No groups.');

// --- what it is like now

const kMostPartitions = 300;
let asking = false, askAgain = false, timer = null;

function refreshSoon(wait = 400) {
  if (asking) { askAgain = true; return; }
  if (timer !== null && wait > 0) return;
  clearTimeout(timer);
  timer = setTimeout(refresh, wait);
}

async function refresh() {
  timer = null;
  asking = true;
  try {
    const [cluster, ...parts] = await Promise.all(
      ['cluster', 'brokers', 'rules', 'connections', 'topics', 'groups'].map(x => ask('GET', '/v1/' + x)));
    const [theBrokers, rules, connections, topics, groups] = parts;
    controller = cluster.controller;
    brokers = theBrokers;
    write($('bootstrap'), cluster.bootstrap);
    $('bootstrap').title = cluster.bootstrap;
    brokerTable.show(brokers, b => b.id);
    ruleTable.show(rules, r => r.id);
    connectionTable.show(connections, c => c.id);
    const partitions = topics.flatMap(t => t.partitions.slice(0, kMostPartitions).map(p => ({topic: t.name, ...p})));
    topicTable.show(partitions.slice(0, kMostPartitions), p => JSON.stringify([p.topic, p.index]), topics.length);
    groupTable.show(groups, g => g.id);
    offer('known-topics', topics.map(t => t.name));
    offer('known-groups', groups.map(g => g.id));
    offer('known-clients', connections.map(c => c.client_id));
    offer('known-brokers', brokers.map(b => b.id));
  } catch (error) {
    if (!(error instanceof Unreachable)) notice('trouble', error.message, 'bad');
  }
  asking = false;
  if (askAgain) { askAgain = false; refreshSoon(); }
}

function offer(id, values) {
  const list = $(id), wanted = [...new Set(values.map(String))].slice(0, 200);
  if (list.dataset.values === JSON.stringify(wanted)) return;
  list.dataset.values = JSON.stringify(wanted);
  list.replaceChildren(...wanted.map(value => make('option', {value})));
}

// --- what happens

const kMostLines = 500;
const kSigns = {request: '→', response: '←', accept: '+', close: '×'};
const waiting = [];
let firstMs = null, paused = false, drawing = false, total = 0;

function textOf(e) {
  if (e.kind === 'missed') return `${e.count} more than this page could follow`;
  const what = e.api !== undefined ? `${e.api || '?'} v${e.version}  ${e.bytes} B` : e.peer;
  return e.kind === 'request' && e.client_id ? `${what}  ${e.client_id}` : what;
}
function lineOf(e) {
  if (e.ms !== undefined) firstMs ??= e.ms;
  const line = make('li', {},
    make('span', {className: 'soft', text: e.ms === undefined ? '' : ((e.ms - firstMs) / 1000).toFixed(3)}),
    make('span', {className: e.kind, text: kSigns[e.kind] ?? '…'}),
    make('span', {text: e.broker === undefined ? '' : `b${e.broker}`}),
    make('span', {className: 'soft', text: e.connection === undefined ? '' : `#${e.connection}`}),
    make('span', {text: textOf(e)}, ...(e.detail ? [make('span', {className: 'detail', text: `  ${e.detail}`})] : [])));
  line.hidden = !passes(line);
  return line;
}
const passes = line => line.textContent.toLowerCase().includes($('filter').value.trim().toLowerCase());

function log(e) {
  write($('log-count'), ++total);
  waiting.push(e);
  if (waiting.length > kMostLines) waiting.shift();
  if (!paused) drawLog();
}
function drawLog() {
  if (drawing) return;
  drawing = true;
  requestAnimationFrame(() => {
    drawing = false;
    const box = $('log'), list = $('log-lines');
    const atEnd = box.scrollTop + box.clientHeight >= box.scrollHeight - 8;
    list.append(...waiting.splice(0).map(lineOf));
    while (list.childElementCount > kMostLines) list.firstChild.remove();
    $('log-empty').hidden = list.childElementCount > 0;
    if (atEnd) box.scrollTop = box.scrollHeight;
  });
}
$('filter').oninput = () => { for (const line of $('log-lines').children) line.hidden = !passes(line); };
$('pause').onclick = () => {
  paused = !paused;
  $('pause').setAttribute('aria-pressed', paused);
  if (!paused) drawLog();
};
$('clear').onclick = () => { waiting.length = 0; $('log-lines').replaceChildren(); $('log-empty').hidden = false; };

let lostAt = null;
function follow() {
  const socket = new WebSocket(withToken(location.origin.replace(/^http/, 'ws') + '/v1/events'));
  socket.onopen = () => {
    write($('stream'), 'live');
    $('stream').className = 'pill good';
    if (lostAt !== null) {
      const seconds = ((performance.now() - lostAt) / 1000).toFixed(1);
      notice('connection', `Connected again after ${seconds} s. A cluster that was started anew has none of the rules and records of before.`, 'warn');
      lostAt = null;
    }
    refreshSoon(0);
  };
  socket.onmessage = message => { log(JSON.parse(message.data)); refreshSoon(); };
  socket.onclose = () => {
    write($('stream'), 'not connected');
    $('stream').className = 'pill bad';
    lostAt ??= performance.now();
    notice('connection', 'The cluster does not answer. What is shown is how it was last; trying again every second.', 'bad');
    setTimeout(follow, 1000);
  };
}
for (const id of ['connection', 'trouble']) $(id + '-close').onclick = () => notice(id, null);
$('copy').onclick = async () => {
  try {
    await navigator.clipboard.writeText($('bootstrap').textContent);
    write($('copy'), 'copied');
  } catch {
    getSelection().selectAllChildren($('bootstrap'));  // to be copied by hand
    write($('copy'), 'selected');
  }
  setTimeout(() => write($('copy'), 'copy'), 1500);
};

setInterval(refreshSoon, 2000);
refreshSoon(0);
follow();
