/** How much of a server's words is read, and how much of that is shown, in characters. */
const MAX_WORDS = 4096
const MAX_LINE = 300

/** The text of a server as one short line, to be added to a sentence; a page of HTML without its tags. */
export function said(words: unknown): string {
  const text = String(words ?? '').slice(0, MAX_WORDS)
  // A response that came with the wrong status is no message to the reader, and may name a task.
  if (/"(jsonrpc|taskId)"/.test(text)) return ''
  const line = text
    .replace(/^\s*<.*/s, (html) => html.replace(/<[^>]*>?/g, ' '))
    .replace(/[\s\p{C}]+/gu, ' ')
    .trim()
  return line && ` and said "${line.slice(0, MAX_LINE)}"`
}
