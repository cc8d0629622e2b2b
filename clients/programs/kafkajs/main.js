// SPDX-License-Identifier: Apache-2.0
// kafkajs: a classic consumer group, and a transaction that is aborted and one that commits.
import kafkajs from 'kafkajs'
import { group, groupOfOne, PARTITIONS, WAVE, Witness } from './flow.js'

const { Kafka, CompressionTypes, logLevel } = kafkajs
const kafka = new Kafka({ brokers: process.argv[2].split(','), logLevel: logLevel.ERROR })
const codecs = { none: CompressionTypes.None, gzip: CompressionTypes.GZIP }

async function produce (topic, codec, messages) {
  const producer = kafka.producer({ idempotent: true })
  await producer.connect()
  await producer.send({ topic, compression: codecs[codec], messages })
  await producer.disconnect()
}

// What is read is counted here, because kafkajs commits what it is told.
async function join (topic, groupId, saw, readUncommitted = true) {
  const consumer = kafka.consumer({ groupId, heartbeatInterval: 500, maxWaitTimeInMs: 500, readUncommitted })
  const next = new Map()
  let share = []
  const joined = new Promise(resolve => {
    consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
      share = payload.memberAssignment[topic] ?? []
      resolve()
    })
  })
  consumer.on(consumer.events.REBALANCING, () => { share = [] })
  await consumer.connect()
  await consumer.subscribe({ topics: [topic], fromBeginning: true })
  await consumer.run({
    autoCommit: false,
    eachMessage: async ({ partition, message }) => {
      next.set(partition, String(BigInt(message.offset) + 1n))
      saw(partition, message.value.toString())
    }
  })
  await joined
  return {
    assignment: () => share,
    commit: () => consumer.commitOffsets([...next].filter(([partition]) => share.includes(partition))
      .map(([partition, offset]) => ({ topic, partition, offset }))),
    close: () => consumer.disconnect()
  }
}

async function transactions (topic) {
  const witness = new Witness()
  const producer = kafka.producer({ transactionalId: 'kafkajs', idempotent: true, maxInFlightRequests: 1 })
  await producer.connect()
  const undone = await producer.transaction()
  const messages = Array.from({ length: PARTITIONS }, (_, partition) => ({ partition, value: 'never to be read' }))
  await undone.send({ topic, messages })
  await undone.abort()
  const done = await producer.transaction()
  await done.send({ topic, messages: witness.wave(WAVE) })
  await done.commit()
  await producer.disconnect()
  const reader = await join(topic, 'committed', (partition, value) => witness.saw(partition, value), false)
  await witness.until(() => witness.hasAll(), 'the committed records', [reader])
  await reader.close()
  console.log(`transactions: ${witness.total()} records committed, ${PARTITIONS} aborted`)
}

const prefix = process.argv[3]
if (prefix) { // the short flow, on topics of this prefix
  await groupOfOne(`${prefix}-classic`, { produce, join })
  await transactions(`${prefix}-transactions`)
} else {
  await group('classic', 'classic', 'gzip', { produce, join })
  await group('classic', 'consumer', 'none', { produce, join })
  await transactions('transactions')
}
