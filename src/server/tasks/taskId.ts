import { digest, toBase64Url } from '../base/digest.js'

/** 144 bits: an id is all it takes to read a task (SEP-2663 leaves the form to the server). */
const RANDOM_BYTES = 18

/** Random bytes for the next ids: drawing many at once costs as much as drawing a few. */
let drawn = new Uint8Array(0)
const DRAWN_AT_ONCE = 128 * RANDOM_BYTES

/** A task id that cannot be guessed, of characters that any header and URL can hold. */
export function createTaskId(): string {
  if (drawn.length === 0) drawn = crypto.getRandomValues(new Uint8Array(DRAWN_AT_ONCE))
  const own = drawn.subarray(0, RANDOM_BYTES)
  drawn = drawn.subarray(RANDOM_BYTES)
  return toBase64Url(own)
}

/** The id of the task that a call with a key of its client becomes: the same in every process. The key cannot be read from it. */
export function keyedTaskId(owner: string, key: string): string {
  return digest(JSON.stringify(['taskwire', 'task', owner, key]))
}

/** The id of the task that an operator makes of a failed one. No key of a client leads to it. */
export function idToRunAgain(owner: string, taskId: string): string {
  return digest(JSON.stringify(['taskwire', 'run again', owner, taskId]))
}
