import { ProtocolError } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { defineTool } from '../../../src/server/tools/defineTool.js'

export const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] })

/** Answers at once, never as a task. */
export const greet = defineTool({
  name: 'greet',
  inputSchema: z.object({ name: z.string() }),
  taskSupport: 'forbidden',
  handler: ({ name }) => text(`Hello, ${name}!`),
})

/** Sleeps for so many ms on the clock of the server. */
export const slow = defineTool({
  name: 'slow',
  inputSchema: z.object({ ms: z.number().default(1000) }),
  taskSupport: 'optional',
  async handler({ ms }, { sleep }) {
    await sleep(ms)
    return text('done')
  },
})

/** Like `slow`, but there is no other way to run it. */
export const required = defineTool({ ...slow, name: 'required', taskSupport: 'required' })

/** Finishes whatever it is told. */
export const stubborn = defineTool({
  name: 'stubborn',
  inputSchema: z.object({}),
  taskSupport: 'optional',
  async handler(_, { sleep }) {
    await sleep(1000).catch(() => {})
    return text('done anyway')
  },
})

/** Fails in the way that is asked for. */
export const failing = defineTool({
  name: 'failing',
  inputSchema: z.object({ how: z.enum(['isError', 'protocol', 'bug']) }),
  taskSupport: 'optional',
  handler({ how }) {
    if (how === 'isError') return { ...text('no such file'), isError: true }
    if (how === 'protocol') throw new ProtocolError(-32050, 'Out of paper', { tray: 2 })
    throw new Error('password=hunter2')
  },
})

/** Asks for a name so many times, one after the other. */
export const ask = defineTool({
  name: 'ask',
  inputSchema: z.object({ times: z.number().default(1) }),
  taskSupport: 'required',
  async handler({ times }, { elicit }) {
    const answers = []
    for (let round = 1; round <= times; round += 1) {
      answers.push(await elicit({ message: `Name ${round}?`, requestedSchema: z.object({ name: z.string() }) }))
    }
    return text(JSON.stringify(answers))
  },
})
