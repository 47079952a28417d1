import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'

const KEPT = 'node_modules/.run'

it('a program is made once, and again when one of its sources has changed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'program-'))
  const keptFiles = async () => (await readdir(KEPT)).filter((name) => name.includes(basename(folder)))
  onTestFinished(async () => {
    for (const name of await keptFiles()) await rm(join(KEPT, name))
    await rm(folder, { recursive: true })
  })
  const program = join(folder, 'program.ts')
  const say = (word: string) => writeFile(join(folder, 'word.ts'), `export const word: string = '${word}'\n`)
  const run = async () => (await promisify(execFile)(process.execPath, ['scripts/run.mjs', program])).stdout
  const madeAt = async () => {
    const [name = '', ...more] = await keptFiles()
    expect(more).toEqual([])
    return (await stat(join(KEPT, name))).mtimeMs
  }
  await writeFile(program, "import { word } from './word.ts'\nconsole.log(word)\n")

  await say('one')
  expect(await run()).toBe('one\n')
  const first = await madeAt()
  expect(await run()).toBe('one\n')
  expect(await madeAt()).toBe(first)
  await say('two')
  expect(await run()).toBe('two\n')
  expect(await madeAt()).toBeGreaterThan(first)
})
