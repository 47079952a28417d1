/** 144 bits: an id is all it takes to read a task (SEP-2663 leaves the form to the server). */
const RANDOM_BYTES = 18

/** A task id nobody can guess, of characters that any header and URL can hold. */
export function createTaskId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(RANDOM_BYTES))
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
}
