import { hash } from '../record/hash.js'
import type { RecordOwner } from '../record/record.js'

/**
 * The id of the call with this key: the same in every page, so that a reload finds its record, and another one for each
 * server and scope, so that a list of several clients can be keyed by it.
 */
export function toolCallId({ endpoint, scope }: RecordOwner, name: string, key: string): string {
  return hash(JSON.stringify([endpoint, scope, name, key]))
}

/** The id of a call that is known by its task alone. The same in every page, and that of no key. */
export function taskCallId({ endpoint, scope }: RecordOwner, taskId: string): string {
  return hash(JSON.stringify({ endpoint, scope, taskId }))
}
