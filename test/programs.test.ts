import { execFile, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
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

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> }
/** The programs of package.json that take options, by their commands. */
const programs = Object.entries(scripts).flatMap(([command, line]): [string, string][] => {
  const [, program] = /^node scripts\/run\.mjs (\S+)$/.exec(line) ?? []
  const takesOptions =
    program !== undefined && /\b(?:parseArgs|parseRun|readOptions)\(/.test(readFileSync(program, 'utf8'))
  return takesOptions ? [[command, program]] : []
})

it.each(programs)(
  'npm run %s -- --help says what there is, and so does an option that there is not',
  (command, program) => {
    const run = (option: string) =>
      spawnSync(process.execPath, ['scripts/run.mjs', program, option], { encoding: 'utf8' })
    const { status, stdout: usage, stderr } = run('--help')
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(usage).toMatch(new RegExp(`^Usage: npm run ${command}\\b.*\\n\\n(?: {2,}\\S.*\\n)+$`))
    expect(run('--nonsense')).toMatchObject({
      status: 1,
      stdout: '',
      stderr: `Unknown option '--nonsense'.\n\n${usage}`,
    })
  },
)
