/** Deeper bodies are refused: schemas and validators read by recursion, and the parser itself takes seconds. */
export const MAX_NESTING = 128

const QUOTE = 0x22
const BACKSLASH = 0x5c
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]

/** True if arrays and objects in a JSON text are nested too deep. Reads no further than that. */
export function isTextTooDeep(json: string): boolean {
  let depth = 0
  let isQuoted = false
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at)
    if (code === QUOTE) isQuoted = !isQuoted
    else if (isQuoted) {
      if (code === BACKSLASH) at += 1
    } else if (code === OPEN_ARRAY || code === OPEN_OBJECT) {
      depth += 1
      if (depth > MAX_NESTING) return true
    } else if (code === CLOSE_ARRAY || code === CLOSE_OBJECT) depth -= 1
  }
  return false
}

/** True if arrays and objects in a parsed JSON value are nested too deep. */
export function isValueTooDeep(value: unknown, levels: number = MAX_NESTING): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((member) => isValueTooDeep(member, levels - 1))
}
