import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

it.each([
  [
    'a link of which the end is missing',
    'https://example.com/replay#1.q1YqU',
    /^This link is damaged: copy all of it.\n$/,
  ],
  ['a file that is not there', 'none.json', /^Failed to read the file: Error: ENOENT[^\n]*\n$/],
])(
  'npm run replay says in a sentence what is wrong with %s',
  async (_, from, sentence) => {
    const run = promisify(execFile)(process.execPath, ['scripts/run.mjs', 'test/replay/main.ts', from])
    await expect(run).rejects.toMatchObject({ code: 2, stderr: expect.stringMatching(sentence) })
  },
  60_000,
)
