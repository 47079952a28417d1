import type { ToolDefinition } from 'taskwire/server'

/** Called with every step of a task that begins or ends in this process. */
export type OnStep = (what: 'begin' | 'end', step: string) => void

/** The same tool, telling of its steps (`once()`) as they begin and end. Those that another process has ended do neither. */
export function logSteps(tool: ToolDefinition, onStep: OnStep): ToolDefinition {
  return {
    ...tool,
    handler(args, context) {
      const once: typeof context.once = (name, step, options) =>
        context.once(
          name,
          async () => {
            onStep('begin', name)
            const value = await step()
            onStep('end', name)
            return value
          },
          options,
        )
      return tool.handler(args, { ...context, once })
    },
  }
}
