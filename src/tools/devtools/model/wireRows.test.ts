import { describe, expect, it } from 'vitest'
import type { WireObservation } from '../../../core/client/observe/events.js'
import { curlOf } from './curl.js'
import { wireRowsOf } from './wireRows.js'

const sent = {
  type: 'wire-sent',
  at: 1,
  exchange: 1,
  method: 'tasks/get',
  id: 7,
  task: 'abc1234',
  http: {
    method: 'POST',
    url: 'https://example.com/mcp',
    headers: { authorization: 'Bearer [redacted]', 'mcp-method': 'tasks/get' },
  },
  body: `{"params":{"taskId":"abc1234","note":"it's"}}`,
  size: 40,
} satisfies WireObservation

const answered: WireObservation = {
  type: 'wire-answered',
  at: 13,
  ms: 12,
  exchange: 1,
  method: 'tasks/get',
  http: { status: 200, headers: {} },
  body: '{}',
  size: 2,
}

const rowsOf = (...observations: WireObservation[]) =>
  wireRowsOf(observations.map((observation) => ({ client: 0, observation })))

describe('wireRowsOf', () => {
  it('puts a request and its response together, the newest first', () => {
    const rows = rowsOf(sent, { ...sent, exchange: 2 }, answered)
    expect(rows.map(({ key, status }) => [key, status])).toEqual([
      ['0 2', 'sent'],
      ['0 1', '200'],
    ])
    expect(rows[1]).toMatchObject({ method: 'tasks/get', outcome: '12 ms · 2 B', task: 'abc1234', tone: 'success' })
    expect(rows[1]?.parts.map(({ title }) => title)).toEqual([
      'Request: POST https://example.com/mcp',
      'Response: status 200',
    ])
  })

  it('marks what was refused, and what got no response', () => {
    const refused: WireObservation = { ...answered, http: { status: 503, headers: {} } }
    const failed: WireObservation = { type: 'wire-failed', at: 13, ms: 12, exchange: 2, message: 'Failed to fetch' }
    const [second, first] = rowsOf(sent, refused, { ...sent, exchange: 2 }, failed)
    expect(first).toMatchObject({ status: '503', tone: 'danger' })
    expect(second).toMatchObject({ status: 'no response', outcome: 'Failed to fetch', tone: 'danger' })
  })

  it('names the server of each request where there are several', () => {
    const observations = [0, 1].map((client) => ({ client, observation: sent }))
    const servers = ['example.com/mcp', 'example.com/other']
    expect(wireRowsOf(observations, servers).map(({ server }) => server)).toEqual(servers.toReversed())
    expect(wireRowsOf(observations).map(({ server }) => server)).toEqual([undefined, undefined])
  })

  it('counts what came in a stream', () => {
    const event: WireObservation = {
      type: 'wire-event',
      at: 20,
      exchange: 1,
      method: 'notifications/tasks',
      body: '{}',
    }
    const stream: WireObservation = { type: 'wire-answered', at: 13, ms: 12, exchange: 1, isStream: true }
    expect(rowsOf(sent, stream, event, event)[0]).toMatchObject({ outcome: '12 ms · 2 in the stream' })
  })
})

describe('curlOf', () => {
  it('is a command for a shell, with $TOKEN where there was a credential', () => {
    expect(curlOf(sent)).toBe(
      [
        '# abc1234 is a short hash: put the id of the task in its place.',
        "curl -X POST 'https://example.com/mcp' \\",
        '  -H "authorization: Bearer $TOKEN" \\',
        "  -H 'mcp-method: tasks/get' \\",
        `  --data-raw '{"params":{"taskId":"abc1234","note":"it'\\''s"}}'`,
      ].join('\n'),
    )
  })

  it.each([
    ['mcp-name', '[redacted]$(touch /tmp/pwned)'],
    ['mcp-param-region', '`touch /tmp/pwned` [redacted]'],
    ['mcp-param-`touch`', '[redacted]'],
  ])('has the shell run nothing that the server has put into the header %s: %s', (name, value) => {
    const http = { method: 'POST', url: 'https://example.com/mcp', headers: { [name]: value } }
    expect(curlOf({ ...sent, http })).toContain(`-H '${name}: ${value}'`)
  })

  it('is none where the HTTP was not seen', () => {
    const { http: _, ...message } = sent
    expect(curlOf(message)).toBeUndefined()
  })
})
