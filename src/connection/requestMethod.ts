/** The method of the message that a `fetch` sends: a header says it from 2026-07-28 on, before that its body alone. */
export function requestMethod(init: RequestInit | undefined): string {
  const header = new Headers(init?.headers).get('mcp-method')
  if (header !== null || typeof init?.body !== 'string') return header ?? ''
  return /"method":"([^"]+)"/.exec(init.body)?.[1] ?? ''
}
