import type { WireObservation } from '../../../core/client/observe/events.js'

/**
 * A shell command that sends a request again. A credential is `$TOKEN` in it, which the shell replaces. Undefined for a
 * request whose HTTP was not seen.
 */
export function curlOf({ http, body, task }: Extract<WireObservation, { type: 'wire-sent' }>): string | undefined {
  if (http === undefined) return undefined
  const headers = Object.entries(http.headers).map(([name, value]) => `-H ${headerArgument(name, value)}`)
  const lines = [
    `curl -X ${http.method} ${quoted(http.url)}`,
    ...headers,
    ...(body ? [`--data-raw ${quoted(body)}`] : []),
  ]
  const notes = [
    ...(task === undefined ? [] : [`# ${task} is a short hash: put the id of the task in its place.`]),
    ...(body && body.length >= MAX_BODY ? ['# The body is cut.'] : []),
  ]
  return [...notes, lines.join(' \\\n  ')].join('\n')
}

/** As long as an observed body gets. */
const MAX_BODY = 10_000

/** A header as `observe()` redacts it. Its value, or the name of a header, may also be text of a server. */
const CREDENTIAL = /^([\w-]+: (?:[a-z]+ )?)\[redacted\]$/i

/** In double quotes where the shell is to put a token in: the shell runs commands that stand in them. */
function headerArgument(name: string, value: string): string {
  const header = `${name}: ${value}`
  return CREDENTIAL.test(header) ? `"${header.replace(CREDENTIAL, '$1$$TOKEN')}"` : quoted(header)
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
