import type { Transport } from '@modelcontextprotocol/client'
import { TaskError } from '../../core/protocol/errors.js'
import type { Clock } from '../../server/base/clock.js'
import { sleep } from '../../server/base/sleep.js'
import { START_MS } from './connectBehind.js'

/**
 * The transport that the function of the app makes, which may ask for a token first. One that comes later, or after the signal
 * has aborted, is closed.
 *
 * @throws {TaskError} if it takes longer than a server may take to start; the reason of the signal.
 */
export async function openInTime(
  open: () => Promise<Transport>,
  clock: Clock,
  signal: AbortSignal,
): Promise<Transport> {
  const end = new AbortController()
  const late = sleep(clock, START_MS, AbortSignal.any([signal, end.signal])).then(() => {
    throw new TaskError(`The function \`transport\` of the gateway took longer than ${START_MS / 1000} s.`)
  })
  const opening = open()
  try {
    return await Promise.race([opening, late])
  } catch (error) {
    opening.then((transport) => transport.close()).catch(() => {})
    throw error
  } finally {
    end.abort()
  }
}
