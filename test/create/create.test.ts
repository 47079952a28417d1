import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { beforeEach, describe, expect, it } from 'vitest'
import { create, type Surroundings } from '../../create/src/create.js'
import { openQuestions } from '../../create/src/questions.js'

let cwd = ''
let templates = ''

beforeEach(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'create-taskwire-'))
  cwd = join(folder, 'here')
  templates = join(folder, 'templates')
  mkdirSync(cwd)
  for (const name of ['react', 'next']) {
    mkdirSync(join(templates, name, 'src'), { recursive: true })
    writeFileSync(join(templates, name, 'package.json'), '{ "name": "taskwire-app" }\n')
    writeFileSync(join(templates, name, 'README.md'), '# taskwire-app\n')
    writeFileSync(join(templates, name, '_gitignore'), 'node_modules\n')
    writeFileSync(join(templates, name, 'src', 'main.ts'), `// taskwire-app, ${name}\n`)
  }
  return () => rm(folder, { recursive: true })
})

interface Ran {
  readonly exitCode: number
  /** What it printed. */
  readonly output: string
  /** What it warned of. */
  readonly warnings: string
  /** What it asked at the terminal. */
  readonly asked: string
}

/** Runs `npm create taskwire` as a function. With `typed`, a person is at the terminal and types that. */
async function run(args: readonly string[], typed?: string, more: Partial<Surroundings> = {}): Promise<Ran> {
  const lines: string[] = []
  const warnings: string[] = []
  const input = new PassThrough()
  const output = new PassThrough()
  if (typed !== undefined) input.write(typed)
  const exitCode = await create(args, {
    cwd,
    userAgent: 'npm/11.0.0 node/v24.0.0 linux x64',
    swallowedTemplate: undefined,
    templates,
    version: '1.2.3',
    nodeVersion: 'v20.19.0',
    openQuestions: typed === undefined ? undefined : () => openQuestions(input, output, true),
    print: (line) => void lines.push(line),
    warn: (line) => void warnings.push(line),
    ...more,
  })
  const asked = String(output.read() ?? '')
  return { exitCode, output: lines.join('\n'), warnings: warnings.join('\n'), asked }
}

const read = (...path: string[]) => readFileSync(join(cwd, ...path), 'utf8')
const CTRL_C = '\x03'
const CTRL_D = '\x04'

describe('npm create taskwire', () => {
  it('writes the template that is asked for, named after its folder', async () => {
    const { exitCode, output } = await run(['my-app', '--template', 'next'])
    expect(exitCode).toBe(0)
    expect(output.split('\n')[1]).toBe(`Created ${join(cwd, 'my-app')} (Next.js). Now run:`)
    expect(readdirSync(join(cwd, 'my-app')).sort()).toEqual(['.gitignore', 'README.md', 'package.json', 'src'])
    expect(read('my-app', 'package.json')).toBe('{ "name": "my-app" }\n')
    expect(read('my-app', 'README.md')).toBe('# my-app\n')
    expect(read('my-app', 'src', 'main.ts')).toBe('// taskwire-app, next\n')
  })

  it('takes the defaults where no terminal is there to ask at, and with --yes', async () => {
    expect((await run([])).exitCode).toBe(0)
    expect(read('taskwire-app', 'src', 'main.ts')).toContain('react')
    const { exitCode, asked } = await run(['other', '--yes'], 'next\r')
    expect([exitCode, asked]).toEqual([0, ''])
    expect(read('other', 'src', 'main.ts')).toContain('react')
  })

  it('asks at a terminal for what is not said, and nothing else', async () => {
    expect((await run(['one', '-t', 'next'], '')).asked).toBe('')
    const folder = await run(['--template', 'next'], 'two\r')
    expect(folder.asked).toContain('Folder of the app (taskwire-app): ')
    expect(folder.asked).not.toContain('Template')
    const template = await run(['three'], '2\r')
    expect(template.asked).toContain('  1  React with Vite')
    expect(template.asked).not.toContain('Folder')
    for (const name of ['one', 'two', 'three']) expect(read(name, 'src', 'main.ts')).toContain('next')
  })

  it('takes an empty answer for the default', async () => {
    expect((await run([], '\r\r')).exitCode).toBe(0)
    expect(read('taskwire-app', 'src', 'main.ts')).toContain('react')
  })

  it('asks again for a folder that it cannot take, and for a template that there is not', async () => {
    mkdirSync(join(cwd, 'full', 'of'), { recursive: true })
    const { exitCode, warnings } = await run([], 'full\rMy App\rmy-app\rvue\rNext\r')
    expect(exitCode).toBe(0)
    expect(warnings.split('\n')).toEqual([
      'The folder full is not empty: it has of. Nothing is overwritten. Choose another folder, or empty this one.',
      'The app is named after its folder, and "My App" cannot be the name of a package: it has capital letters. Try my-app.',
      'There is no template "vue". The templates are: react, next.',
    ])
    expect(read('my-app', 'src', 'main.ts')).toContain('next')
  })

  it.each([
    ['Ctrl-C at the first question', CTRL_C],
    ['Ctrl-C at the second question', `my-app\r${CTRL_C}`],
    ['Ctrl-C in the middle of an answer', `my-a${CTRL_C}`],
    ['Ctrl-D', CTRL_D],
  ])('creates nothing after %s', async (_, typed) => {
    const { exitCode, warnings, asked } = await run([], typed)
    expect([exitCode, warnings]).toEqual([130, 'Cancelled. Nothing was created.'])
    expect(asked.endsWith('\n')).toBe(true)
    expect(readdirSync(cwd)).toEqual([])
  })

  it.each([
    ['npm/11.0.0 node/v24.0.0', ['npm install', 'npm run dev']],
    ['pnpm/10.1.0 npm/? node/v24.0.0', ['pnpm install', 'pnpm dev']],
    ['yarn/4.6.0 npm/? node/v24.0.0', ['yarn', 'yarn dev']],
    ['bun/1.2.0 npm/? node/v24.0.0', ['bun install', 'bun run dev']],
    ['constructor/1', ['npm install', 'npm run dev']],
    [undefined, ['npm install', 'npm run dev']],
  ])('prints the next commands for %s', async (userAgent, commands) => {
    const { output } = await run(['apps/my-app'], undefined, { userAgent })
    const indented = output.split('\n').filter((line) => line.startsWith('  '))
    expect(indented.map((line) => line.trim().replace('\\', '/'))).toEqual(['cd apps/my-app', ...commands])
  })

  it('prints no cd for an app in this folder, and quotes one with spaces on its way', async () => {
    expect((await run(['.'])).output).not.toContain('cd ')
    expect(read('package.json')).toBe('{ "name": "here" }\n')
    mkdirSync(join(cwd, 'my apps'))
    const { output } = await run([join('my apps', 'one')])
    expect(output).toContain(`  cd "${join('my apps', 'one')}"\n`)
  })

  it('quotes a scope, which PowerShell would take for a variable', async () => {
    const { output } = await run(['@acme/app'])
    expect(output).toContain(`  cd "${join('@acme', 'app')}"\n`)
    expect(read('@acme', 'app', 'package.json')).toBe('{ "name": "app" }\n')
  })

  it('takes an empty folder name for none', async () => {
    for (const empty of ['', '  ']) {
      const { exitCode, asked } = await run([empty, '-t', 'next'], `my-app${empty.length}\r`)
      expect([exitCode, asked]).toEqual([0, expect.stringContaining('Folder of the app (taskwire-app): ')])
    }
    expect(readdirSync(cwd)).toEqual(['my-app0', 'my-app2'])
  })

  it.each(['v18.20.8', 'v20.18.3', 'v16.4.0'])(
    'says at Node %s that the app needs a later one',
    async (nodeVersion) => {
      const { exitCode, output, warnings } = await run(['my-app'], undefined, { nodeVersion })
      expect([exitCode, warnings]).toEqual([0, `The app needs Node 20.19 or later, and this is ${nodeVersion}.`])
      expect(output).toContain('  npm run dev')
    },
  )

  it.each(['v20.19.0', 'v22.0.0', 'v26.1.0'])('says nothing of Node %s', async (nodeVersion) => {
    expect((await run(['my-app'], undefined, { nodeVersion })).warnings).toBe('')
  })

  it('takes a folder that is there and has nothing but a repository in it', async () => {
    mkdirSync(join(cwd, 'cloned', '.git'), { recursive: true })
    expect((await run(['cloned'])).exitCode).toBe(0)
    expect(read('cloned', 'package.json')).toContain('cloned')
  })

  it('refuses a folder that is not empty, and leaves it as it is', async () => {
    mkdirSync(join(cwd, 'full'))
    for (const name of ['a', 'b', 'c', 'd', 'e']) writeFileSync(join(cwd, 'full', name), 'mine')
    const { exitCode, warnings, asked } = await run(['full'], '')
    expect([exitCode, asked]).toEqual([1, ''])
    expect(warnings).toBe(
      'The folder full is not empty: it has a, b, c and 2 more. Nothing is overwritten. Choose another folder, or empty this one.',
    )
    expect(readdirSync(join(cwd, 'full'))).toEqual(['a', 'b', 'c', 'd', 'e'])
  })

  it('refuses a file in the place of the folder', async () => {
    writeFileSync(join(cwd, 'file'), 'mine')
    const { exitCode, warnings } = await run(['file'])
    expect([exitCode, warnings]).toEqual([1, 'A file is in the way of file. Choose another folder.'])
    expect(read('file')).toBe('mine')
    const inside = await run(['file/app'])
    expect([inside.exitCode, inside.warnings]).toEqual([1, 'A file is in the way of file/app. Choose another folder.'])
  })

  it('removes what it has written where a file cannot be written', async () => {
    // A folder that came between the look and the writing, in the place of a file.
    const between = () => mkdirSync(join(cwd, 'cloned', 'src', 'main.ts'), { recursive: true })
    mkdirSync(join(cwd, 'cloned'))
    const questions = { ask: () => Promise.resolve('').finally(between), close: () => {} }
    const { exitCode, warnings } = await run(['cloned'], undefined, { openQuestions: () => questions })
    expect(exitCode).toBe(1)
    expect(warnings).toContain('Failed to write the app, and nothing of it is left. ')
    expect(readdirSync(join(cwd, 'cloned'))).toEqual(['src'])
  })

  it('removes the folders that it has made where the app cannot be written', async () => {
    mkdirSync(join(cwd, 'apps'))
    // A template in which one name stands for two files: the second cannot be written over the first.
    writeFileSync(join(templates, 'react', '.gitignore'), '')
    const { exitCode } = await run(['apps/of/mine'])
    expect(exitCode).toBe(1)
    expect(existsSync(join(cwd, 'apps', 'of'))).toBe(false)
    expect(existsSync(join(cwd, 'apps'))).toBe(true)
  })

  it.each([
    [['--template', 'vue'], 'There is no template "vue". The templates are: react, next.'],
    [['one', 'two'], 'One argument is too many: two. See: npm create taskwire -- --help'],
    [['--force'], "Unknown option '--force'. See: npm create taskwire -- --help"],
    [['--template'], "Option '-t, --template <value>' argument missing. See: npm create taskwire -- --help"],
    [
      ['.hidden'],
      'The app is named after its folder, and ".hidden" cannot be the name of a package: it begins with ".". Try hidden.',
    ],
  ])('refuses %j with exit code 2', async (args, message) => {
    const { exitCode, warnings } = await run(args)
    expect([exitCode, warnings]).toEqual([2, message])
    expect(readdirSync(cwd)).toEqual([])
  })

  it('says where --template belongs that npm has kept for itself', async () => {
    // npm 11 passes `my-app --template next` on as two folders, and `my-app --template=next` as one.
    for (const [args, swallowedTemplate] of [[['my-app', 'next'], 'true'] as const, [['my-app'], 'next'] as const]) {
      const { exitCode, warnings } = await run(args, undefined, { swallowedTemplate })
      expect([exitCode, warnings]).toEqual([
        2,
        'npm keeps --template for itself. Put -- before it: npm create taskwire my-app -- --template next',
      ])
    }
    expect(readdirSync(cwd)).toEqual([])
    const { exitCode } = await run(['my-app', '--template', 'next'], undefined, { swallowedTemplate: 'react' })
    expect(exitCode).toBe(0)
  })

  it('prints its help and its version, and creates nothing', async () => {
    const help = await run(['--help'], '')
    expect(help.exitCode).toBe(0)
    expect(help.output).toContain('Usage: npm create taskwire [folder] -- [options]')
    expect(help.output).toContain('react (React with Vite) or next (Next.js)')
    expect(await run(['--version'], '')).toMatchObject({ exitCode: 0, output: '1.2.3' })
    expect(readdirSync(cwd)).toEqual([])
  })
})
