import { expect, it, vi } from 'vitest'
import { taskwire } from './support/testTerminal.js'

vi.mock('json-schema-to-typescript', () => {
  throw new Error("Cannot find package 'json-schema-to-typescript'")
})

it('npx taskwire types says by which command what it needs is installed', async () => {
  const { exitCode, warnings } = await taskwire(['types', 'https://api.example/mcp'])
  expect(warnings).toContain('\n  npm i -D json-schema-to-typescript')
  expect(exitCode).toBe(2)
})
