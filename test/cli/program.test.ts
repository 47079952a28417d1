import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { taskwire } from './support/testTerminal.js'

const PROGRAM = ['scripts/run.mjs', 'test/cli/support/main.ts']

it('ends without a word when nobody reads its output any longer, as in `taskwire … | head -1`', async () => {
  const program = spawn(process.execPath, [...PROGRAM, 'migrate', '--print'])
  const closed = once(program, 'close')
  const warnings = text(program.stderr)
  program.stdout.destroy()
  expect(await closed).toEqual([0, null])
  expect(await warnings).toBe('')
}, 60_000)

it('says in a sentence which option is wrong, and fails with 2', async () => {
  const { exitCode, warnings } = await taskwire(['tasks', '--postgres', 'postgres://localhost/x', '--schema', 'Bad!'])
  expect(exitCode).toBe(2)
  expect(warnings).toBe('Failed to use Postgres: the schema "Bad!" has no plain name. Pass a word in lower case.')
})
