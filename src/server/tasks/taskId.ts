import { digest, toBase64Url } from '../base/digest.js'

/** 144 bits: an id is all it takes to read a task (SEP-2663 leaves the form to the server). */
const RANDOM_BYTES = 18

/** A task id nobody can guess, of characters that any header and URL can hold. */
export function createTaskId(): string {
  return toBase64Url(crypto.getRandomValues(new Uint8Array(RANDOM_BYTES)))
}

/** The id of the task that a call with a key of its client becomes: the same in every process. Nobody reads the key off it. */
export function keyedTaskId(owner: string, key: string): string {
  return digest(JSON.stringify(['taskwire', 'task', owner, key]))
}
