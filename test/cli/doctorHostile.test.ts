import { expect, it } from 'vitest'
import { answer, doctoredServer } from './support/doctoredServer.js'
import { serve } from './support/serve.js'
import { taskwire } from './support/testTerminal.js'

type Message = Record<string, unknown>

/** What `String()` cannot turn into a text. */
const ODD = { toString: 1 }

/** Runs the doctor on a server that answers one method in its own way. */
async function doctorOn(method: string, respond: (message: Message, request: Request) => Response, ...args: string[]) {
  const server = doctoredServer({
    request: (request, message) => (message['method'] === method ? respond(message, request) : undefined),
  })
  return taskwire(['doctor', await serve(server), ...args])
}

it('the doctor prints what a server says of itself, whatever kind of value it is', async () => {
  const result = { supportedVersions: ['2026-07-28'], capabilities: {}, serverInfo: { name: 'odd', version: ODD } }
  const { output, exitCode } = await doctorOn('server/discover', (message) => answer(message, { result }))
  expect(output).toContain('odd {"toString":1}')
  expect(exitCode).toBe(1)
})

it('the doctor prints an error whose code and message are anything', async () => {
  const error = { code: ODD, message: ODD }
  const { output, exitCode } = await doctorOn('tasks/get', (message) => answer(message, { error }))
  expect(output).toContain('has got the error {"toString":1}: {"toString":1}')
  expect(exitCode).toBe(1)
})
