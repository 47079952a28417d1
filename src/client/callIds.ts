import { hash } from '../storage/hash.js'

/** The id of the call with this key. The same in every page, so that a reload finds its record. */
export function toolCallId(name: string, key: string): string {
  return hash(JSON.stringify([name, key]))
}

/** The id of a call that is known by its task alone. The same in every page, and that of no key. */
export function taskCallId(taskId: string): string {
  return hash(JSON.stringify({ taskId }))
}
