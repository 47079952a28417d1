import { amongProcesses } from '../../core/client/amongProcesses.js'
import type { Environment } from '../../core/environment/environment.js'
import type { CallEntry } from '../../core/run/entries.js'
import { resumeCancel } from '../../core/run/requests.js'
import type { Run } from '../../core/run/run.js'
import type { Cancellation, Cancellations } from './cancellations.js'
import type { Session } from './session.js'
import { LATE_MS } from './untilKnown.js'

/** Tasks that a process has made for a start after a page had cancelled that start at another process. */
export interface UnwantedTasks {
  /** Cancels those that the records show, until the session is over. Returns what looks for them now, and what ends it. */
  watch(session: Session): { readonly look: () => void; readonly stop: () => void }
  /**
   * Looks, before the start with this id, for such a task of the same call, and cancels it unless it is being cancelled already. Returns true if
   * there was one: the start must not join it.
   */
  cancelBefore(session: Session, callId: string, start: string): Promise<boolean>
}

/** How long the processes that only follow a task leave its cancellation to the one that sent the call, in ms. */
const FOLLOWED_MS = 2000

/**
 * ```text
 * page       start X ─ cancel()
 * process A    frozen, X not read ······ reads X: tools/call ─ task ─ killed
 * process B            X not known ························ finds the record: tasks/cancel
 *
 * process B            X not known ························ start Y: tasks/cancel, and then a tools/call of its own
 * ```
 */
export function createUnwantedTasks(
  cancelled: Cancellations,
  { setTimeout, clearTimeout }: Pick<Environment, 'setTimeout' | 'clearTimeout'>,
): UnwantedTasks {
  /** Messages whose task was found. */
  const found = new WeakSet<Cancellation>()
  /** Messages whose task is cancelled, or ended: nothing more is to be done. */
  const done = new WeakSet<Cancellation>()
  const open = (user: string) => cancelled.of(user).filter((each) => 'start' in each.what && !done.has(each))

  return {
    watch: (session) => {
      let timer: unknown
      function look(): void {
        if (timer === undefined && open(session.client.id).length > 0) timer = setTimeout(cancelFound, FOLLOWED_MS)
      }
      function cancelFound(): void {
        timer = undefined
        for (const message of open(session.client.id)) {
          const { run, entry } = madeFor(session, message)
          if (run === undefined || entry === undefined) continue
          if (!found.has(message)) {
            // The process that has sent the call may be about to cancel it.
            found.add(message)
            look()
            continue
          }
          done.add(message)
          if (!entry.task?.record.cancelling.isWanted) resumeCancel(run, entry, true)
        }
      }
      return { look, stop: () => clearTimeout(timer) }
    },
    cancelBefore: async (session, callId, start) => {
      const { client, feed } = session
      const ofOthers = open(client.id).filter((each) => each.callId === callId && !isOf(each, start))
      if (ofOthers.length === 0) return false
      await client.resumeToolCalls({ callId })
      feed.update()
      // One that is being cancelled is joined, as everywhere: its pages show that.
      const message = ofOthers.find((each) => madeFor(session, each).entry?.task?.record.cancelling.isWanted === false)
      if (message === undefined) return false
      done.add(message)
      return new Promise<boolean>((resolve) => {
        const timer = setTimeout(() => resolve(true), LATE_MS)
        const settle = (isTaken: boolean) => {
          clearTimeout(timer)
          resolve(isTaken)
        }
        const taken = Promise.resolve(client.getToolCall(callId)?.cancel())
        // A task that the server does not cancel is joined.
        taken.then(
          () => settle(true),
          () => settle(false),
        )
      })
    },
  }
}

const isOf = ({ what }: Cancellation, start: string) => 'start' in what && what.start === start

/** The call that follows the task which was made for a cancelled start. Not one that pages do not see. */
function madeFor(
  { client, feed }: Session,
  { callId, what }: Cancellation,
): { readonly run?: Run | undefined; readonly entry?: CallEntry | undefined } {
  const run = feed.get(callId) && amongProcesses(client).run?.()
  const entry = run?.calls.get(callId)
  const isMade = entry?.call.stage.name === 'task' && 'start' in what && entry.call.startedFor === what.start
  return isMade ? { run, entry } : {}
}
