// SPDX-License-Identifier: Apache-2.0
// @platformatic/kafka: both group protocols, and a transaction that is aborted and one that commits.
import { Consumer, Producer, stringDeserializers, stringSerializers } from '@platformatic/kafka'
import { group, PARTITIONS, WAVE, Witness } from './flow.js'

const base = { clientId: 'program', bootstrapBrokers: process.argv[2].split(',') }
const MAX_WAIT_MS = 300
const rows = (topic, records) => records.map(record => ({ topic, ...record }))

async function produce (topic, compression, records) {
  const producer = new Producer({ ...base, serializers: stringSerializers, idempotent: true })
  await producer.send({ messages: rows(topic, records), compression, acks: -1 })
  await producer.close()
}

function joining (options) {
  return async (topic, groupId, saw) => {
    const consumer = new Consumer({ ...base, groupId, deserializers: stringDeserializers, ...options })
    const next = new Map()
    const stream = await consumer.consume({
      topics: [topic], mode: 'committed', fallbackMode: 'earliest', autocommit: false, maxWaitTime: MAX_WAIT_MS
    })
    stream.on('error', error => { throw error })
    stream.on('data', ({ partition, offset, value }) => {
      next.set(partition, offset + 1n)
      saw(partition, value)
    })
    const share = () => consumer.assignments?.find(each => each.topic === topic)?.partitions ?? []
    let last = { share: '', since: 0 }
    // This client hands out what a Fetch brings that was under way when its partition was revoked, on
    // a real broker as well. So a share counts only when no such Fetch can be left.
    const assignment = () => {
      if (share().join() !== last.share) last = { share: share().join(), since: Date.now() }
      return Date.now() - last.since > 2 * MAX_WAIT_MS ? share() : []
    }
    return {
      assignment,
      commit: () => consumer.commit({
        offsets: [...next].filter(([partition]) => share().includes(partition))
          .map(([partition, offset]) => ({ topic, partition, offset, leaderEpoch: -1 }))
      }),
      close: () => consumer.close(true)
    }
  }
}

async function transactions (topic) {
  const witness = new Witness()
  const producer = new Producer({
    ...base, serializers: stringSerializers, idempotent: true, transactionalId: 'platformatic-kafka'
  })
  const undone = await producer.beginTransaction()
  const messages = Array.from({ length: PARTITIONS }, (_, partition) => ({ topic, partition, value: 'never to be read' }))
  await undone.send({ messages })
  await undone.abort()
  const done = await producer.beginTransaction()
  await done.send({ messages: rows(topic, witness.wave(WAVE)) })
  await done.commit()
  await producer.close()
  const reader = await classic(topic, 'committed', (partition, value) => witness.saw(partition, value))
  await witness.until(() => witness.hasAll(), 'the committed records', [reader])
  await reader.close()
  console.log(`transactions: ${witness.total()} records committed, ${PARTITIONS} aborted`)
}

const classic = joining({ heartbeatInterval: 500 })
await group('classic', 'classic', 'snappy', { produce, join: classic })
await group('KIP-848', 'consumer', 'zstd', { produce, join: joining({ groupProtocol: 'consumer' }) })
await transactions('transactions')
