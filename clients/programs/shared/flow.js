// SPDX-License-Identifier: Apache-2.0
// What every program does, whatever its client: produce, consume in a group that rebalances, commit,
// close, and come back to nothing but what is new. A client gives two functions:
//   produce(topic, codec, records)    resolves when all {partition, value} are acknowledged
//   join(topic, group, saw)           resolves to a member with assignment(), commit() and close();
//                                     it calls saw(partition, value) for each record it reads
export const PARTITIONS = 6
export const WAVE = 100 // records per partition
const SHORT = 20 // of the short flow
const PATIENCE_MS = 60_000

const text = (partition, number) => `${partition}:${number}:`.padEnd(100, 'x')
const sleep = ms => new Promise(resolve => setTimeout(resolve, ms))

// Sees each record once, and a partition's records in order.
export class Witness {
  produced = new Array(PARTITIONS).fill(0)
  seen = new Array(PARTITIONS).fill(0)
  fault = null

  wave (count) {
    const records = []
    for (let i = 0; i < count; i++) {
      for (let partition = 0; partition < PARTITIONS; partition++) {
        records.push({ partition, value: text(partition, this.produced[partition]++) })
      }
    }
    return records
  }

  saw (partition, value) {
    const expected = text(partition, this.seen[partition]++)
    if (value !== expected) this.fault ??= `partition ${partition}: expected ${expected}, got ${value}`
  }

  hasAll () {
    return this.seen.join() === this.produced.join()
  }

  total () {
    return this.seen.reduce((sum, n) => sum + n)
  }

  async until (done, what, members) {
    const deadline = Date.now() + PATIENCE_MS
    while (!await done()) {
      if (this.fault) throw new Error(this.fault)
      if (Date.now() > deadline) {
        const shares = await Promise.all(members.map(member => member.assignment()))
        throw new Error(`not in time: ${what}; seen ${this.seen}, assigned ${JSON.stringify(shares)}`)
      }
      await sleep(10)
    }
    if (this.fault) throw new Error(this.fault)
  }
}

async function shared (members) {
  const shares = await Promise.all(members.map(member => member.assignment()))
  return shares.every(share => share.length > 0) && shares.flat().sort().join() === '0,1,2,3,4,5'
}

// The short flow: one member reads it all, commits and closes.
export async function groupOfOne (topic, { produce, join }) {
  const witness = new Witness()
  await produce(topic, 'none', witness.wave(SHORT))
  const member = await join(topic, `${topic}-group`, (partition, value) => witness.saw(partition, value))
  await witness.until(() => witness.hasAll(), 'the records', [member])
  await member.commit()
  await member.close()
  console.log(`${topic}: ${witness.total()} records`)
}

export async function group (name, topic, codec, { produce, join }) {
  const started = Date.now()
  const witness = new Witness()
  const counts = [0, 0, 0]
  const member = index => join(topic, `${topic}-group`, (partition, value) => {
    witness.saw(partition, value)
    counts[index]++
  })
  const hasAll = () => witness.hasAll()
  await produce(topic, codec, witness.wave(WAVE))
  const first = await member(0)
  await witness.until(hasAll, 'the first wave', [first])
  await first.commit()
  const second = await member(1)
  const both = [first, second]
  await witness.until(() => shared(both), "the second member's share", both)
  await produce(topic, codec, witness.wave(WAVE))
  await witness.until(hasAll, 'the second wave', both)
  counts[0] -= WAVE * PARTITIONS // of the first wave
  if (counts[0] === 0 || counts[1] === 0) throw new Error(`one member read nothing: ${counts}`)
  for (const each of both) await each.commit()
  for (const each of both) await each.close()
  await produce(topic, codec, witness.wave(1))
  const third = await member(2)
  await witness.until(hasAll, 'the third wave', [third])
  await third.close()
  console.log(`${name}, ${codec}: ${witness.total()} records, rebalanced ${counts[0]}+${counts[1]}, ` +
    `${((Date.now() - started) / 1000).toFixed(1)} s`)
}
