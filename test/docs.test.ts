import { readFileSync } from 'node:fs'
import * as taskwire from 'taskwire'
import { describe, expect, test } from 'vitest'
import { checkBudgets } from '../scripts/budgets.mjs'
import { checkCitations, checkDocument, checkNumbers, checkTests } from '../scripts/docs.mjs'
import { checkLinks } from '../scripts/links.mjs'
import { checkPictures } from '../scripts/pictureChecks.mjs'
import { checkSizes } from '../scripts/sizes.mjs'
import { checkSnippets, packagesOf, sectionOf } from '../scripts/snippets.mjs'

const files: Record<string, string> = {
  'docs/examples/start.ts': [
    "import { start } from 'taskwire'",
    '',
    'export function main() {',
    '  // #region call',
    '  start()',
    '',
    '  if (true) {',
    '    {/* #region inner */}',
    '    start()',
    '    {/* #endregion inner */}',
    '  }',
    '  // #endregion call',
    '}',
    '',
  ].join('\n'),
}

const tests: Record<string, string> = {
  'test/a.test.ts': "test('is one', () => {})\nit.each([1])(\n  'is %i',\n  '[ID-1] is three',",
}

function readFile(path: string): string {
  const text = { ...files, ...tests }[path]
  if (text === undefined) throw new RangeError(path)
  return text
}

const document = (info: string, ...code: string[]): string =>
  ['# Title', '', `\`\`\`${info}`, ...code, '```', '', 'The end.', ''].join('\n')

describe('a block of code in the documentation', () => {
  test('may be equal to a region, without its indentation and the marks of others', () => {
    const good = document('ts file=docs/examples/start.ts#call', 'start()', '', 'if (true) {', '  start()', '}')
    expect(checkDocument(good, readFile)).toEqual({ text: good, problems: [] })
  })

  test('may be equal to a whole file', () => {
    const code = ["import { start } from 'taskwire'", '', 'export function main() {', '  start()', '', '  if (true) {']
    const good = document('ts file=docs/examples/start.ts', ...code, '    start()', '  }', '}')
    expect(checkDocument(good, readFile)).toEqual({ text: good, problems: [] })
  })

  test('that differs is a problem with its line, and is put right', () => {
    const bad = document('tsx file=docs/examples/start.ts#inner', 'stop()')
    expect(checkDocument(bad, readFile)).toEqual({
      text: document('tsx file=docs/examples/start.ts#inner', 'start()'),
      problems: ['line 3: this block differs from docs/examples/start.ts#inner: npm run docs:write.'],
    })
  })

  test('is put right where it was empty', () => {
    const { text } = checkDocument(document('ts file=docs/examples/start.ts#inner'), readFile)
    expect(text).toBe(document('ts file=docs/examples/start.ts#inner', 'start()'))
  })

  test('keeps its place in a list', () => {
    const good = ['- one', '', '  ```ts file=docs/examples/start.ts#inner', '  start()', '  ```', ''].join('\n')
    expect(checkDocument(good, readFile)).toEqual({ text: good, problems: [] })
  })

  test.for([
    ['ts', 'line 3: this block names no file: add file=docs/examples/NAME.ts, or no-check.'],
    ['ts file=docs/examples/none.ts', 'line 3: there is no docs/examples/none.ts.'],
    ['ts file=docs/examples/start.ts#none', 'line 3: docs/examples/start.ts has no region none.'],
  ] as const)('marked "%s" is a problem and left as it is', ([info, problem]) => {
    const bad = document(info, 'start()')
    expect(checkDocument(bad, readFile)).toEqual({ text: bad, problems: [problem] })
  })

  test('is not looked at in another language, or where it says so', () => {
    for (const info of ['sh', 'json', 'ts no-check', 'tsx no-check', '']) {
      const fine = document(info, 'anything')
      expect(checkDocument(fine, readFile)).toEqual({ text: fine, problems: [] })
    }
  })
})

describe('a test that the documentation names', () => {
  const check = (markdown: string) => checkTests(markdown, 'docs/guide.md', readFile)

  test('is one of the file that is linked to, each of them', () => {
    expect(
      check('It holds: [a](../test/a.test.ts) "is one", "[ID-1] is three", "is %i", and [code](../src/a.ts).'),
    ).toEqual([])
  })

  test.for([
    ['[a](../test/a.test.ts) "is one", "is two"', 'line 1: test/a.test.ts has no test "is two".'],
    ['[a](../test/a.test.ts) "one"', 'line 1: test/a.test.ts has no test "one".'],
    ['[a](../test/a.test.ts)', 'line 1: this link to test/a.test.ts names no test of it.'],
    ['\n[b](../test/b.test.tsx) "is one"', 'line 2: there is no test/b.test.tsx.'],
    ['It holds[^a].', 'line 1: [^a] is not one note that is referred to.'],
    ['[^a]: A note.', 'line 1: [^a] is not one note that is referred to.'],
  ] as const)('is a problem in %j', ([markdown, problem]) => {
    expect(check(markdown)).toEqual([problem])
  })

  test('may begin with an id in brackets', () => {
    const problem = 'line 1: test/a.test.ts has no test "[A-1] is two".'
    expect(check('It holds: [a](../test/a.test.ts) "[A-1] is two", "is one".')).toEqual([problem])
  })

  test('may be cited by the id alone that its name begins with', () => {
    expect(check('It holds: [ID-1](../test/a.test.ts), [a](../test/a.test.ts) "is one".')).toEqual([])
    expect(check('[ID-1](../test/a.test.ts), [ID-2](../test/a.test.ts), [ID-1](../test/b.test.ts)')).toEqual([
      'line 1: test/a.test.ts has no test of ID-2.',
      'line 1: there is no test/b.test.ts.',
    ])
  })

  test('has an id only where its name begins with one', () => {
    const source = "// [ID-2]\ntest('is like [ID-3] two', () => {})"
    for (const id of ['ID-2', 'ID-3']) {
      const problems = checkTests(`[${id}](../test/a.test.ts)`, 'docs/guide.md', () => source)
      expect(problems).toEqual([`line 1: test/a.test.ts has no test of ${id}.`])
    }
  })

  test('may be in a footnote', () => {
    expect(check('It holds[^a].\n\n[^a]: [a](../test/a.test.ts) "is one"\n')).toEqual([])
  })
})

test('a document that cites each test of a kind leaves no id of that kind out', () => {
  const sources = [
    "it('[PART-01] is one', () => {})",
    'it.each([])("[PART-02] is %s", () => {})',
    "it('[OTHER-A] is', f)",
  ]
  const markdown = 'It holds: [PART-02](../test/b.test.ts). So does PART-01.'
  expect(checkCitations(markdown, 'PART-', sources)).toEqual([
    'there are tests of PART-01, and no sentence cites them.',
  ])
})

describe('what a reader who pastes from a page has', () => {
  const sources: Record<string, string> = {
    'docs/examples/app.ts': "import { client } from './client'\nimport { z } from 'zod'\n",
    'docs/examples/client.ts': 'export const client = 1\n',
    'docs/examples/show.ts': 'declare function show(text: string): void\n',
  }
  const check = (...lines: string[]) =>
    checkSnippets(lines.join('\n'), 'docs/guide.md', (path) => {
      const source = sources[path]
      if (source === undefined) throw new RangeError(path)
      return source
    })
  const app = ['```ts file=docs/examples/app.ts', '```']
  const region = ['```ts file=docs/examples/app.ts#call', '```']

  test('is every file that another one imports, on the same page or behind a link', () => {
    const missing = 'docs/examples/app.ts imports docs/examples/client, which this page neither shows nor links to.'
    expect(check(...app)).toEqual([missing])
    expect(check(...app, '```ts file=docs/examples/client.ts', '```')).toEqual([])
    expect(check(...app, 'See [the client](examples/client.ts).')).toEqual([])
  })

  test('is the whole file of which a part is shown, on the same page or behind a link', () => {
    const part = 'a part of docs/examples/app.ts is shown: show the whole file, or link to it.'
    expect(check(...region)).toEqual([part])
    const client = '[client.ts](examples/client.ts)'
    expect(check(...region, client, '[app.ts](examples/app.ts)')).toEqual([])
    expect(check(...region, client, ...app)).toEqual([])
  })

  test('is nothing that is only declared', () => {
    const problem = 'docs/examples/show.ts declares what its reader does not have: write it, or take it as a parameter.'
    expect(check('```ts file=docs/examples/show.ts', '```')).toEqual([problem])
  })

  test('is each package of a line that installs, of a block or of a sentence', () => {
    const lines = [
      'npm install taskwire @scope/one',
      'npm i -D two   # for three',
      'npm install four && npm install five',
    ]
    const text = ['```sh', ...lines, '```', 'With Hono (`npm install hono`).', 'Run `npm install` first.'].join('\n')
    expect(packagesOf(text)).toEqual(['taskwire', '@scope/one', 'two', 'four', 'five', 'hono'])
  })

  test('is said in the section that the title names', () => {
    const text = '# A\n\n## Install\n\none\n\n### More\n\ntwo\n\n## Use\n\nthree\n'
    expect(sectionOf(text, 'Install')).toBe('\none\n\n### More\n\ntwo\n')
  })
})

describe('a table of sizes', () => {
  const budgets = { taskwire: 47_400, '+ withTasks': 11_250 }
  const right = [
    '<!-- sizes: taskwire, + withTasks -->',
    '',
    '| minified, gzipped | at most |',
    '| ----------------- | ------: |',
    '| `taskwire`        | 47.4 kB |',
    '| + `withTasks`     | 11.3 kB |',
    '',
    '<!-- /sizes -->',
  ].join('\n')

  test('that is the budgets of size.json is left as it is', () => {
    expect(checkSizes(right, budgets)).toEqual({ text: right, problems: [] })
  })

  test('may have every budget', () => {
    const all = right.replace('sizes: taskwire, + withTasks', 'sizes: all')
    expect(checkSizes(all, budgets)).toEqual({ text: all, problems: [] })
    expect(checkSizes(all, { ...budgets, 'taskwire/new': 100 }).text).toContain('| `taskwire/new`')
  })

  test('that differs is a problem, and is put right', () => {
    expect(checkSizes(right.replace('47.4', '47.3'), budgets)).toEqual({
      text: right,
      problems: ['the table of sizes differs from size.json: npm run docs:write.'],
    })
  })

  test('that names what size.json has not is a problem, and is left as it is', () => {
    const wrong = right.replace('taskwire, +', 'taskwire/none, +')
    expect(checkSizes(wrong, budgets)).toEqual({ text: wrong, problems: ['size.json has no taskwire/none.'] })
  })
})

describe('a table of what an hour of a watched call costs', () => {
  const cost = {
    requests: 1720,
    polls: 720,
    bytes: 711_644,
    writes: 0,
    messages: 4,
    timersSet: 9,
    wakeUps: 61,
    renders: 0,
  }
  const right = [
    '<!-- budgets -->',
    '',
    '| an hour of a watched call | requests |    kB | wake-ups | writes | messages | renders |',
    '| ------------------------- | -------: | ----: | -------: | -----: | -------: | ------: |',
    '| Taskwire                  |    1,720 | 711.6 |       61 |      0 |        4 |         |',
    '',
    '<!-- /budgets -->',
  ].join('\n')

  test('that is test/budgets/budgets.json is left as it is', () => {
    expect(checkBudgets(right, { Taskwire: cost })).toEqual({ text: right, problems: [] })
  })

  test('that differs is a problem, and is put right', () => {
    expect(checkBudgets(right.replace('711.6', '84.0'), { Taskwire: cost })).toEqual({
      text: right,
      problems: ['the table of budgets differs from test/budgets/budgets.json: npm run docs:write.'],
    })
  })
})

test('a link leads to a file and to a heading that are there', () => {
  const pages: Record<string, string> = { 'docs/a.md': "# One `call()`: what's left", docs: '' }
  const check = (markdown: string) => checkLinks(markdown, 'docs/guide.md', (path) => pages[path])
  expect(check('## Here\n\n[a](a.md#one-call-whats-left) [b](../docs) [c](#here) [d](https://example.com/#x)')).toEqual(
    [],
  )
  expect(check('```md\n[a](b.md)\n# Two\n```\n`[b](b.md)`')).toEqual([])
  expect(check('[a](b.md) [b](a.md#two) [c](#here)')).toEqual([
    'there is no docs/b.md.',
    'docs/a.md has no heading #two.',
    'docs/guide.md has no heading #here.',
  ])
})

test('the table of errors in docs/errors.md has every error class that is exported, and no other', () => {
  const section = sectionOf(readFileSync('docs/errors.md', 'utf8'), 'Every error')
  const rows = [...section.matchAll(/^\| `(\w+Error)` +\|/gm)].map(([, name]) => name)
  const classes = Object.keys(taskwire).filter((name) => /^[A-Z]\w*Error$/.test(name))
  expect(rows.toSorted()).toEqual(classes.toSorted())
})

describe('a picture in the documentation', () => {
  const sizes = new Map([
    ['dark.webp', 1000],
    ['light.webp', 2000],
    ['large.webp', 150_001],
  ])
  const check = (dark: string, light: string, alt: string) =>
    checkPictures(`<picture>\n<source srcset="${dark}">\n<img src="${light}"${alt}>\n</picture>`, (path) =>
      sizes.get(path),
    )

  test('is there, small, and put into words', () => {
    expect(check('dark.webp', 'light.webp', ' alt="A film studio"')).toEqual([])
  })

  test('is a problem where it is missing, too large or without words', () => {
    expect(check('no.webp', 'large.webp', ' alt=""')).toEqual([
      'there is no no.webp: npm run pictures.',
      'large.webp has 150001 bytes, more than 150000.',
      'large.webp has no words for those who cannot see it.',
    ])
  })
})

test('finds two decisions with one number', () => {
  expect(checkNumbers(['001-one.md', '002-two.md', '002-another.md'])).toEqual([
    'two decisions have the number 002: give the later one the next free number.',
  ])
})
