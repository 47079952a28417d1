import { isTaskError } from 'taskwire'
import { KNOWN_FAULTS } from './knownFaults.js'

const SHALLOW = { cause: undefined, violation: undefined }

/** Which of these ids an error tells to people and logs: in its message, its JSON or what caused it. */
export function toldIds(
  error: unknown,
  ids: Iterable<string>,
): { readonly id: string; readonly where: string } | undefined {
  const texts: [where: string, text: string][] = []
  let cause: unknown = error
  const isDeep = !KNOWN_FAULTS.has('task ids in causes and violations')
  for (let depth = 0; cause instanceof Error && depth < (isDeep ? 10 : 1); depth++) {
    const where = depth === 0 ? '' : 'cause.'.repeat(depth)
    texts.push([`${where}message`, cause.message])
    if (isTaskError(cause))
      texts.push([`${where}JSON`, JSON.stringify({ ...cause.toJSON(), ...(isDeep ? {} : SHALLOW) })])
    cause = cause.cause
  }
  for (const id of ids) {
    const found = texts.find(([, text]) => text.includes(id))
    if (found) return { id, where: found[0] }
  }
  return undefined
}
