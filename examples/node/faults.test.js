// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import kafkajs from 'kafkajs'
import { startCluster } from './cluster.js'

let cluster, kafka

beforeEach(async () => {
  cluster = await startCluster('--topic', 'orders')
  kafka = new kafkajs.Kafka({ brokers: cluster.brokers, logLevel: kafkajs.logLevel.NOTHING })
})
afterEach(() => cluster.stop())

async function send (value, options) {
  const producer = kafka.producer(options)
  await producer.connect()
  await producer.send({ topic: 'orders', messages: [{ value }] })
  await producer.disconnect()
}

async function offsets () {
  const admin = kafka.admin()
  await admin.connect()
  const [{ low, high }] = await admin.fetchTopicOffsets('orders')
  await admin.disconnect()
  return high - low
}

test('a moved leader is found again', async () => {
  await cluster.rule('moved', { api: 'Produce', times: 2 }, { error: 'NOT_LEADER_OR_FOLLOWER' })
  await send('hello')
  assert.equal(await cluster.hits('moved'), 2)
  assert.equal(await offsets(), 1)
})

// The answer never comes and the producer is not idempotent: its retry is a second record.
test('a lost answer makes a duplicate', async () => {
  await cluster.rule('lost', { api: 'Produce', times: 1 }, { close: 'rst', apply: true })
  await send('twice')
  assert.equal(await cluster.hits('lost'), 1)
  assert.equal(await offsets(), 2)
})
