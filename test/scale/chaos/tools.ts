import { appendFileSync } from 'node:fs'
import { defineTool } from 'taskwire/server'
import { z } from 'zod'

/** The world outside, which no crash undoes. */
const write = (event: string, key: string) => appendFileSync(process.env['CHAOS_LOG'] ?? '', `${event} ${key}\n`)
const done = (key: string) => ({ content: [{ type: 'text' as const, text: key }] })
const inputSchema = z.object({ key: z.string(), ms: z.number() })

/** One tool with effects, one that only reads, and one that asks and has a step that must not run twice. */
export const tools = [
  defineTool({
    name: 'effect',
    inputSchema,
    taskSupport: 'required',
    async handler({ key, ms }, { progress, sleep }) {
      write('begin', key)
      await progress('at it')
      await sleep(ms)
      write('end', key)
      return done(key)
    },
  }),
  defineTool({
    name: 'pure',
    inputSchema,
    taskSupport: 'required',
    annotations: { readOnlyHint: true },
    async handler({ key, ms }, { sleep }) {
      await sleep(ms)
      return done(key)
    },
  }),
  defineTool({
    name: 'asking',
    inputSchema,
    taskSupport: 'required',
    onOrphan: 'retry',
    async handler({ key, ms }, { elicit, once, sleep }) {
      await once('charge', () => write('charge', key))
      await sleep(ms)
      const requestedSchema = z.object({ sure: z.boolean() })
      const answer = await elicit({ message: `Go on with ${key}?`, requestedSchema })
      await sleep(ms)
      return done(`${key} ${answer.action}`)
    },
  }),
]
