// SPDX-License-Identifier: Apache-2.0
// The form that makes rules: faults that are usual, a form for what a rule goes by and does, and the
// JSON that is sent. The form writes the JSON; the JSON may be changed by hand; the cluster judges it.
'use strict';

// A field: name, label, what it takes ('text', 'number', 'time', 'check', 'json', 'code', a list of
// words, or {list: id of a datalist}), what it holds at first, and 'optional' if it may be left out.
const kWhen = [
  ['api', 'API', {list: 'known-apis'}], ['broker', 'broker', {list: 'known-brokers', number: true}],
  ['topic', 'topic', {list: 'known-topics'}], ['partition', 'partition', 'number'],
  ['client_id', 'client id', {list: 'known-clients'}], ['group', 'group', {list: 'known-groups'}],
  ['transactional_id', 'transactional id', 'text'], ['version', 'version', 'number'],
  ['times', 'times at most', 'number'], ['skip', 'skip the first', 'number'], ['every', 'one in', 'number'],
  ['probability', 'probability', 'number'], ['after', 'only after', 'time'], ['for', 'only for', 'time'],
];
const kApply = ['apply', 'the work is done all the same', 'check'];
const kBytes = values => ({bytes: values});
const kBroker = ['broker', 'broker', {list: 'known-brokers', number: true}, 1];
const kActions = {
  error: ['answer with an error', [['error', 'error', {list: 'known-errors'}, 'NOT_LEADER_OR_FOLLOWER'], kApply]],
  delay: ['answer later', [['delay', 'delay', 'time', '500ms'], ['before', 'before the work', 'check']]],
  drop: ['never answer', [], () => ({drop: true})],
  close: ['close the connection instead', [['close', 'how', ['fin', 'rst', 'half', 'vanish']], kApply]],
  throttle: ['throttle', [['throttle', 'for', 'time', '1s']]],
  stall: ['stop reading', [['stall', 'for', 'time', 'forever']]],
  view: ['answer Metadata as it was', [['lag', 'so long ago', 'time', '5s']], v => ({view: v})],
  garbage: ['random bytes as the answer', [['garbage', 'bytes', 'number', 40]], kBytes],
  size: ['a wrong length', [['size', 'claimed', 'number', 2147483647]], kBytes],
  correlation: ['another correlation id', [['correlation_shift', 'added', 'number', 1]], kBytes],
  truncate: ['an answer cut short, its length right', [['truncate', 'bytes kept', 'number', 12]], kBytes],
  flip: ['bits inverted', [['flip', 'offset', 'number', -2]], v => kBytes({flip: [v.flip]})],
  patch: ['bytes overwritten', [['offset', 'offset', 'number', 4], ['hex', 'bytes (hex)', 'text', '00ff']],
    v => kBytes({patch: {[v.offset]: v.hex}})],
  append: ['bytes appended', [['append', 'bytes (hex)', 'text', '00ff']], kBytes],
  twice: ['the answer twice', [], () => kBytes({twice: true})],
  first: ['part of the answer, then the end', [['first', 'bytes', 'number', 20], ['close', 'end', ['rst', 'fin', 'half', 'vanish']]],
    v => ({send: {first: v.first}, close: v.close})],
  drip: ['the answer in drips', [['piece', 'bytes at a time', 'number', 1], ['every', 'every', 'time', '20ms']], v => ({send: v})],
  set: ['set fields of the answer', [['set', 'by name', 'json', '{"leaderEpoch": 0}']]],
  fields: ['set fields by their place', [['fields', 'fields', 'json', '{"brokers": []}']]],
  clear: ['empty lists of the answer', [['clear', 'list', 'text', 'brokers']]],
  tags: ['unknown tagged fields', [['tags', 'tags', 'json', '{"10000": "00ff"}']]],
  move_leader: ['move a leader first', [['topic', 'topic', {list: 'known-topics'}, 't'], ['partition', 'partition', 'number', 0],
    ['to', 'to broker', 'number', 2]], v => ({move_leader: v})],
  move_coordinator: ['move the coordinator first', [kBroker], v => ({move_coordinator: v.broker})],
  move_controller: ['move the controller first', [kBroker], v => ({move_controller: v.broker})],
  stop_broker: ['stop a broker first', [kBroker], v => ({stop_broker: v.broker})],
  start_broker: ['start a broker first', [kBroker], v => ({start_broker: v.broker})],
  refuse: ['a broker refuses connections', [kBroker], v => ({refuse: v.broker})],
  drop_syn: ['a broker leaves SYNs unanswered', [kBroker], v => ({drop_syn: v.broker})],
  lua: ['a Lua script', [['lua', 'script', 'code', 'function on_request(ctx)\n  if ctx.seen % 3 == 0 then return {error = 7} end\nend']]],
};
// What there is on a connection that was just made (when.on: accept) goes by another name.
const kGroups = {
  'the answer': ['error', 'delay', 'drop', 'close', 'throttle', 'stall', 'view'],
  'its bytes': ['garbage', 'size', 'correlation', 'truncate', 'flip', 'patch', 'append', 'twice', 'first', 'drip'],
  'its fields': ['set', 'fields', 'clear', 'tags'],
  'the cluster': ['move_leader', 'move_coordinator', 'move_controller', 'stop_broker', 'start_broker', 'refuse', 'drop_syn'],
  'a program': ['lua'],
};
const kFaults = [
  ['not the leader', {api: 'Produce', times: 1}, {error: 'NOT_LEADER_OR_FOLLOWER'}],
  ['written, answer lost', {api: 'Produce', times: 1}, {close: 'rst', apply: true}],
  ['never answered', {api: 'Produce', times: 1}, {drop: true}],
  ['throttled', {api: 'Produce', times: 1}, {throttle: '1s'}],
  ['slow broker', {broker: 1}, {delay: '500ms'}],
  ['flaky fetch', {api: 'Fetch', probability: 0.05}, {error: 'KAFKA_STORAGE_ERROR'}],
  ['answer cut short', {api: 'Fetch', times: 1}, {send: {first: 20}, close: 'rst'}],
  ['wrong checksum', {api: 'Fetch', times: 1}, {bytes: {flip: [-2]}}],
  ['garbage', {api: 'Metadata', times: 1}, {bytes: {garbage: 40}}],
  ['HTTP, not Kafka', {api: 'ApiVersions', times: 1}, {bytes: {size: 1213486160}, close: 'fin'}],
  ['slow drip', {api: 'Metadata'}, {send: {piece: 1, every: '20ms'}}],
  ['stale metadata', {api: 'Metadata'}, {view: {lag: '5s'}}],
  ['no coordinator', {api: 'FindCoordinator', times: 3}, {error: 'COORDINATOR_NOT_AVAILABLE'}],
  ['rebalance', {api: 'Heartbeat', times: 1}, {error: 'REBALANCE_IN_PROGRESS'}],
  ['dead host', {on: 'accept', broker: 1}, {close: 'vanish'}],
  ['leader moves', {api: 'Produce', times: 1}, {move_leader: {topic: 't', partition: 0, to: 2}}],
];

function control([, label, kind, initial], name) {
  const common = {name};
  let input;
  if (Array.isArray(kind)) {
    input = make('select', common, ...kind.map(word => make('option', {value: word, text: word})));
  } else if (kind === 'json' || kind === 'code') {
    input = make('textarea', {...common, rows: kind === 'code' ? 5 : 2, spellcheck: false});
  } else if (kind === 'check') {
    input = make('input', {...common, type: 'checkbox'});
    return make('label', {className: 'check'}, input, label);
  } else {
    input = make('input', {...common, autocomplete: 'off', spellcheck: false, inputMode: kind === 'number' || kind.number ? 'numeric' : 'text'});
    if (kind.list) input.setAttribute('list', kind.list);
    if (kind === 'time') input.placeholder = '500ms, 2s';
  }
  if (initial !== undefined) input.value = initial;
  return make('label', {className: kind === 'json' || kind === 'code' ? 'span' : kind.list === 'known-errors' ? 'two' : '', text: label}, input);
}

// What a control holds; undefined: nothing. Text that is no number or JSON is left for the cluster to refuse.
function held(form, [name, , kind], prefix) {
  const input = form.elements[prefix + name];
  if (kind === 'check') return input.checked || undefined;
  const text = kind === 'code' ? input.value : input.value.trim();
  if (text === '') return undefined;
  if (kind === 'number' || kind.number) return Number.isFinite(Number(text)) ? Number(text) : text;
  if (kind !== 'json') return text;
  try { return JSON.parse(text); } catch { return text; }
}
function holdings(form, fields, prefix) {
  return Object.fromEntries(fields.map(field => [field[0], held(form, field, prefix)]).filter(([, value]) => value !== undefined));
}

const form = $('add'), editor = $('rule');
let made = 0;
function freeId() {
  while (ruleTable.rows.has('rule-' + (made + 1))) ++made;
  return 'rule-' + (made + 1);
}
function show(rule) {
  editor.value = JSON.stringify(rule, null, 2);
  problem(null);
}
function problem(error) {
  $('problem').hidden = error === null;
  write($('problem'), error?.message ?? '');
  editor.classList.toggle('wrong', error !== null);
  editor.setAttribute('aria-invalid', error !== null);
  if (!error?.at) return;
  const key = JSON.stringify(error.at.split('/').pop());
  const from = editor.value.indexOf(key);
  if (from < 0) return;
  editor.focus();
  editor.setSelectionRange(from, from + key.length);
}
function compose() {
  const when = holdings(form, kWhen, 'when-');
  const [, fields, shape] = kActions[form.elements.action.value];
  const values = holdings(form, fields, 'do-');
  const on = form.elements.accept.checked ? {on: 'accept'} : {};
  show({id: freeId(), when: {...on, ...when}, do: shape ? shape(values) : values});
}
function chooseAction() {
  const [, fields] = kActions[form.elements.action.value];
  $('do').replaceChildren(...fields.map(field => control(field, 'do-' + field[0])));
}
function edit({seen, hits, error, ...rule}) {
  show(rule);
  editor.focus();
}

async function add() {
  let rule;
  try {
    rule = JSON.parse(editor.value);
  } catch (error) {
    return problem(new Error('This is not JSON: ' + error.message));
  }
  try {
    await ask('POST', '/v1/rules', rule);
    problem(null);
    write($('said'), `Added ${rule.id}.`);
    made = Math.max(made, Number(/^rule-(\d+)$/.exec(rule.id)?.[1] ?? 0));
    setTimeout(() => write($('said'), ''), 4000);
    editor.value = editor.value.replace(JSON.stringify(rule.id), () => JSON.stringify(nextId(rule.id)));
  } catch (error) {
    problem(error);
  }
  refreshSoon(0);
}
// So that the same rule can be added again.
function nextId(id) {
  const [, stem, number] = /^(.*?)(?:-(\d+))?$/s.exec(id);
  return `${stem}-${Number(number ?? 1) + 1}`;
}

$('when').append(...kWhen.map(field => control(field, 'when-' + field[0])));
$('action').append(...Object.entries(kGroups).map(([label, names]) =>
  make('optgroup', {label}, ...names.map(name => make('option', {value: name, text: kActions[name][0]})))));
$('faults').append(...kFaults.map(([label, when, does]) =>
  button(label, () => { show({id: freeId(), when, do: does}); $('submit').focus(); }, JSON.stringify({when, do: does}))));
for (const [id, words] of Object.entries({
  'known-apis': 'Produce Fetch Metadata ApiVersions FindCoordinator JoinGroup SyncGroup Heartbeat LeaveGroup OffsetCommit OffsetFetch ListOffsets InitProducerId AddPartitionsToTxn EndTxn ConsumerGroupHeartbeat ShareFetch CreateTopics SaslHandshake SaslAuthenticate',
  'known-errors': 'NOT_LEADER_OR_FOLLOWER LEADER_NOT_AVAILABLE UNKNOWN_TOPIC_OR_PARTITION REQUEST_TIMED_OUT NOT_ENOUGH_REPLICAS KAFKA_STORAGE_ERROR CORRUPT_MESSAGE MESSAGE_TOO_LARGE COORDINATOR_NOT_AVAILABLE COORDINATOR_LOAD_IN_PROGRESS NOT_COORDINATOR REBALANCE_IN_PROGRESS UNKNOWN_MEMBER_ID ILLEGAL_GENERATION FENCED_LEADER_EPOCH OFFSET_OUT_OF_RANGE OUT_OF_ORDER_SEQUENCE_NUMBER INVALID_PRODUCER_EPOCH TOPIC_AUTHORIZATION_FAILED UNSUPPORTED_VERSION UNKNOWN_SERVER_ERROR',
})) $(id).append(...words.split(' ').map(value => make('option', {value})));

form.elements.action.onchange = () => { chooseAction(); compose(); };
for (const id of ['form', 'do', 'when']) $(id).addEventListener('input', event => { if (event.target !== form.elements.action) compose(); });
form.onsubmit = event => { event.preventDefault(); add(); };
editor.oninput = () => problem(null);
editor.onkeydown = event => { if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) { event.preventDefault(); add(); } };
$('remove-all').onclick = () => act('DELETE', '/v1/rules');
chooseAction();
show({id: 'rule-1', when: {api: 'Produce', times: 1}, do: {error: 'NOT_LEADER_OR_FOLLOWER'}});
