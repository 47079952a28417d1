import type { Environment } from '../environment/environment.js'

/** Listeners that are called at most once a frame while nothing but progress changes. */
export interface Subject<L> {
  readonly listeners: Set<L>
  /** When they were called last, ms since the epoch. */
  calledAt: number
  timer?: unknown
}

/** Calls `notify` now, or for mere progress at the end of the frame. */
export type NotifyOf = <L>(
  subject: Subject<L> | undefined,
  isProgress: boolean,
  notify: (subject: Subject<L>) => void,
) => void

/** @param frameMs How long the progress of a call waits for more of it before listeners are called again, in ms. */
export function createFrames(
  environment: Pick<Environment, 'now' | 'setTimeout' | 'clearTimeout'>,
  frameMs: number,
): NotifyOf {
  return (subject, isProgress, notify) => {
    if (subject === undefined || subject.listeners.size === 0) return
    // No longer than a frame, also where the clock was set back.
    const wait = Math.min(subject.calledAt + frameMs - environment.now(), frameMs)
    const call = () => {
      environment.clearTimeout(subject.timer)
      delete subject.timer
      subject.calledAt = environment.now()
      notify(subject)
    }
    if (!isProgress || wait <= 0) call()
    else if (subject.timer === undefined) subject.timer = environment.setTimeout(call, wait)
  }
}
