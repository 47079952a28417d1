import { learn } from '../record/learn.js'
import { type TaskRecord, withEra } from '../record/record.js'
import { pollInterval } from '../time/policy.js'
import { createPush, type Push } from './push.js'
import type { Runner } from './runner.js'

/** Has the server push what happens to these tasks, and changes what is known of them. */
export type CreatePush = (run: Runner, taskIds: () => readonly string[]) => Push

export const takePushed: CreatePush = (run, taskIds) => {
  const { port, environment, rules } = run
  const learnOf = (taskId: string, next: Parameters<Runner['learn']>[1], how: Parameters<Runner['learn']>[2]) => {
    const task = run.tasks.get(taskId)
    if (task !== undefined) run.learn(task, next, how)
  }
  const push = createPush({
    port,
    environment,
    policy: rules.policy,
    taskIds,
    onTask: (snapshot) => {
      const { taskId } = snapshot
      const next = (record: TaskRecord, now: number) =>
        learn(
          withEra(record, run.port.era),
          snapshot,
          { now, askedAt: undefined, isPushed: push.isPushed(taskId) },
          rules,
        )
      learnOf(taskId, next, { from: 'push', tell: true })
    },
    onHint: (taskId) =>
      learnOf(taskId, (record, now) => ({ ...record, here: { ...record.here, hintedAt: now } }), { from: 'hint' }),
    onChange: (taskId) => {
      const { safetyIntervalMs } = rules.policy
      const opened = push.isPushed(taskId)
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
  })
  return push
}
