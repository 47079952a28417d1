import type { TaskClient } from '../../core/client/taskClient.js'

/** The id of the call of a tool that has this key. Undefined without a key: it is not known before the call is made. */
export function keyedCallId(
  client: TaskClient,
  { name, key }: { readonly name: string; readonly key?: string | undefined },
): string | undefined {
  return key === undefined ? undefined : client.toolCallId(name, key)
}
