/**
 * False for requests about tasks and streams: they are answered from the store, also while the server behind is away. By the
 * header of 2026-07-28, which the SDK compares with the body; requests of earlier revisions have none.
 */
export function needsTools({ method, headers }: Request): boolean {
  const called = headers.get('mcp-method')
  return method === 'POST' && called?.startsWith('tasks/') !== true && called !== 'subscriptions/listen'
}
