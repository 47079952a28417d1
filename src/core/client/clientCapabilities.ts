import type { TaskClientBaseOptions } from './taskClient.js'

interface Answerable {
  elicitation: { form: object; url: object }
  sampling?: object
  roots?: object
}

/** They follow what can be answered: forms and links always, by the user; the rest by handlers, or as the app says. */
export function clientCapabilities<C extends object>(
  { input }: Pick<TaskClientBaseOptions, 'input'>,
  capabilities: C | undefined,
): Answerable & Partial<C> {
  const { sampling, roots } = input?.handlers ?? {}
  const answerable: Answerable = {
    elicitation: { form: {}, url: {} },
    ...(sampling && { sampling: {} }),
    ...(roots && { roots: {} }),
  }
  return { ...answerable, ...(capabilities as Partial<C>) }
}
