import type { ToolDefinition } from 'taskwire/server'

/** Called with every step of a task that begins or ends in this process. */
export type OnStep = (what: 'begin' | 'end', step: string) => void

/**
 * A tool of the demo that goes on where a worker that was lost has left it: each part of its work, which is a wait, is kept
 * as a step. The part that was cut off is done again.
 */
export function resumable(tool: ToolDefinition, onStep: OnStep = () => {}): ToolDefinition {
  return {
    ...tool,
    onOrphan: 'retry',
    handler(args, context) {
      const { task, sleep } = context
      if (task === undefined) return tool.handler(args, context)
      const once: typeof task.once = (name, step, options) =>
        task.once(
          name,
          async () => {
            onStep('begin', name)
            const value = await step()
            onStep('end', name)
            return value
          },
          options,
        )
      let parts = 0
      const sleepAsStep = (ms: number) => {
        parts += 1
        return once(`part ${parts}`, () => sleep(ms), { mayRepeat: true })
      }
      return tool.handler(args, { ...context, task: { ...task, once }, sleep: sleepAsStep })
    },
  }
}
