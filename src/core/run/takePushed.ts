import { learn } from '../record/learn.js'
import { type TaskRecord, withEra } from '../record/record.js'
import { pollInterval } from '../time/policy.js'
import type { PushOptions } from './push.js'
import type { Runner } from './runner.js'

/** What the server pushes changes what is known of a task. */
export function takePushed(
  run: Runner,
  isPushed: (taskId: string) => boolean,
): Pick<PushOptions, 'onTask' | 'onHint' | 'onChange'> {
  const { rules } = run
  const learnOf = (taskId: string, next: Parameters<Runner['learn']>[1], how: Parameters<Runner['learn']>[2]) => {
    const task = run.tasks.get(taskId)
    if (task !== undefined) run.learn(task, next, how)
  }
  return {
    onTask: (snapshot) => {
      const { taskId } = snapshot
      const next = (record: TaskRecord, now: number) =>
        learn(withEra(record, run.port.era), snapshot, { now, askedAt: undefined, isPushed: isPushed(taskId) }, rules)
      learnOf(taskId, next, { from: 'push', tell: true })
    },
    onHint: (taskId) =>
      learnOf(taskId, (record, now) => ({ ...record, here: { ...record.here, hintedAt: now } }), { from: 'hint' }),
    onChange: (taskId) => {
      const { safetyIntervalMs } = rules.policy
      const opened = isPushed(taskId)
      learnOf(
        taskId,
        (record, now) => {
          const interval = pollInterval(record.task.pollIntervalMs, rules.policy)
          const quietUntil = opened ? record.heardAt + Math.max(interval, safetyIntervalMs) : 0
          return record.failure !== undefined || quietUntil === record.quietUntil
            ? record
            : { ...record, quietUntil, triedAt: now, notedAt: now }
        },
        { from: opened ? 'push-opened' : 'push-closed', tell: true },
      )
    },
  }
}
