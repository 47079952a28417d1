import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPackedApp, type PackedApp } from './packedApp.js'

let app: PackedApp

beforeAll(async () => {
  app = await createPackedApp({
    files: join(import.meta.dirname, 'sdkV1App'),
    packages: ['typescript', '@types/node', '@types/react', 'zod'],
    without: ['@modelcontextprotocol/client', '@modelcontextprotocol/server', 'msw'],
  })
})

afterAll(() => app?.remove())

test('[EDGE-44] an app with SDK v1 alone type-checks with taskwire/sdk-v1, taskwire/query and taskwire/react', async () => {
  // The declarations of the package are checked, too: no `skipLibCheck`.
  await app.run([app.bin('typescript', 'bin/tsc'), '--noEmit'])
})

test('[EDGE-44] an app with SDK v1 alone follows a task, and validates its output as SDK v1 does', async () => {
  await app.run([app.bin('typescript', 'bin/tsc')])
  expect(JSON.parse(await app.run(['built/main.js']))).toEqual({
    connection: 'The app uses an SDK v1 client, which speaks MCP up to 2025-11-25.',
    task: 'completed',
    result: { pages: 3 },
    wrong: expect.stringContaining("Structured content does not match the tool's output schema"),
    refused: expect.stringContaining('got a url and no client. Pass { client } with a connected Client'),
  })
})
