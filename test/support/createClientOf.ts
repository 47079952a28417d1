import { createTaskClient as createFullClient, type TaskClient, type TaskClientOptions } from 'taskwire'
import { createTaskClient as createLiteClient } from 'taskwire/lite'

/** The clients: that over the official SDK, that of `taskwire/lite`, and that of `taskwire/bridge` before a backend with the first. */
export type ClientKind = 'full' | 'lite' | 'bridge'

/** A client of that kind with the options of `taskwire`. */
export function createClientOf(kind: ClientKind, options: TaskClientOptions): TaskClient {
  if (kind === 'full' || typeof options !== 'object' || options === null) return createFullClient(options)
  const { transportOptions: { fetch, requestInit, ...others } = {}, ...rest } = { transportOptions: {}, ...options }
  const transportOptions = Object.keys(others).length > 0 && { transportOptions: others }
  const headers = requestInit?.headers
  // What lite has not, it refuses: a test that passes it is one of the full client.
  return createLiteClient({
    ...(rest as { url: string }),
    ...transportOptions,
    ...(fetch && { fetch }),
    ...(headers && { headers }),
  })
}
