import type { Json } from '../../server/support/rpc.js'
import type { Call, Client } from './calls.js'
import type { Fleet } from './fleet.js'

/** Failures that say what has happened. */
const TRUTHS = /worker was lost|was shut down|could not store/

/** Counts what must not be: every row has to be 0. */
export async function judge(
  calls: readonly Call[],
  client: Client,
  world: string,
  fleets: readonly Fleet[],
): Promise<Record<string, number>> {
  const lines = world.trim().split('\n')
  const count = (line: string) => lines.filter((one) => one === line).length
  const known = calls.filter(({ taskId }) => taskId !== undefined)
  const after = new Map<Call, Json | undefined>()
  for (const call of known) after.set(call, await client.read(call.taskId ?? ''))
  const number = (broken: (call: Call) => boolean) => known.filter(broken).length
  const repeated = lines.filter((line, index) => line !== '' && lines.indexOf(line) !== index)
  const ofFleets = (figure: (fleet: Fleet) => number) => fleets.reduce((sum, fleet) => sum + figure(fleet), 0)
  return {
    'processes that ended unasked': ofFleets(({ crashes }) => crashes),
    'processes that spun': ofFleets(({ spins }) => spins),
    'processes that did not hear SIGTERM': ofFleets(({ deaf }) => deaf),
    'calls that were never accepted': calls.length - known.length,
    'refusals reported as failures of the tool': client.lies.length,
    'accepted tasks that vanished': number((call) => after.get(call) === undefined),
    'left working': number(({ end }) => end === undefined),
    'ended twice': number(
      (call) => call.end !== undefined && JSON.stringify(call.end) !== JSON.stringify(after.get(call)),
    ),
    'tools with effects that ran twice': repeated.filter((line) => line.startsWith('begin')).length,
    'steps that ran twice': repeated.filter((line) => line.startsWith('charge')).length,
    'completed without having happened': number(
      ({ end, tool, key }) =>
        end?.['status'] === 'completed' &&
        ((tool === 'effect' && count(`end ${key}`) !== 1) || (tool === 'asking' && count(`charge ${key}`) !== 1)),
    ),
    'completed with another result': number(({ end, tool, key }) => {
      const wanted = tool === 'asking' ? `${key} accept` : key
      return end?.['status'] === 'completed' && !JSON.stringify(end['result'] ?? {}).includes(`"${wanted}"`)
    }),
    'failed without a true reason': number(({ end, tool }) => {
      if (end?.['status'] !== 'failed') return false
      // What only reads begins again, until it has taken five workers with it.
      const truths = tool === 'pure' ? /worker was lost/ : TRUTHS
      return !truths.test(String(end['statusMessage']))
    }),
    cancelled: number(({ end }) => end?.['status'] === 'cancelled'),
  }
}
