import { createParser } from 'eventsource-parser'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createEventReader } from './eventReader.js'

function read(pieces: readonly string[]): string[] {
  const messages: string[] = []
  const feed = createEventReader((data) => messages.push(data))
  for (const piece of pieces) feed(piece)
  return messages
}

/** What the parser that most clients use makes of the same pieces. */
function readByParser(pieces: readonly string[]): string[] {
  const messages: string[] = []
  const parser = createParser({
    onEvent: ({ event = 'message', data }) => {
      if (event === 'message') messages.push(data)
    },
  })
  for (const piece of pieces) parser.feed(piece)
  return messages
}

const line = fc.oneof(
  fc.constantFrom('data', 'data:', 'data: 1', 'data:  2', 'data:3:4', 'dat: 5', ' data: 6', 'data : 7', ''),
  fc.constantFrom(
    'event: other',
    'event:',
    'event',
    'event: message',
    'event:message',
    ': comment',
    'id: 8',
    'retry: 9',
  ),
  fc.string({ maxLength: 4 }).map((text) => `data: ${text.replaceAll(/[\r\n]/g, '')}`),
)
const lineEnd = fc.constantFrom('\n', '\r\n', '\r')

it('[EDGE-51] reads the same messages as eventsource-parser, however the text is cut', () => {
  const text = fc.array(fc.tuple(line, lineEnd), { maxLength: 24 }).map((lines) => lines.flat().join(''))
  const cuts = fc.array(fc.nat({ max: 80 }), { maxLength: 6 })
  fc.assert(
    fc.property(text, cuts, (body, at) => {
      // The parser waits for what comes after a carriage return.
      const whole = `${body}\n`
      const places = [0, ...at, whole.length].map((cut) => Math.min(cut, whole.length)).sort((a, b) => a - b)
      const pieces = places.slice(1).map((to, index) => whole.slice(places[index], to))
      expect(read(pieces)).toEqual(readByParser(pieces))
    }),
    { numRuns: 2000 },
  )
})
