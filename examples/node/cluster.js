// SPDX-License-Identifier: Apache-2.0
// A fake Kafka cluster as a child process.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

export async function startCluster (...options) {
  const child = spawn(process.env.KTRIAL ?? 'ktrial',
    ['cluster', '--port', '0', '--json', '--exit-with-parent', ...options],
    { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = await once(createInterface(child.stdout), 'line')
  const { bootstrap, control } = JSON.parse(line)
  const ask = async (method, path, body) => {
    const answer = await fetch(control + path, { method, body: body && JSON.stringify(body) })
    if (!answer.ok) throw new Error(await answer.text())
    return answer.json()
  }
  return {
    brokers: bootstrap.split(','),
    rule: (id, when, act) => ask('POST', 'v1/rules', { id, when, do: act }),
    hits: async id => (await ask('GET', `v1/rules/${id}`)).hits,
    stop: async () => {
      child.kill()
      await once(child, 'exit')
    }
  }
}
