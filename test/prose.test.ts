import { describe, expect, it } from 'vitest'
import { checkProse, checkTexts, TERMS } from '../scripts/prose.mjs'

const page = (...lines: string[]): string => ['# Title', '', ...lines, ''].join('\n')

describe('the prose of a page', () => {
  it.each([
    ['The others are told.', 'are told'],
    ['The user is asked again.', 'is asked'],
    ['The task goes on at the server.', 'goes on'],
    ['It connects by itself.', 'by itself'],
    ['Write the file anew.', 'anew'],
    ['It is not needed any more.', 'any more'],
    ['There is none.', 'is none'],
    ['Nobody polls it.', 'Nobody'],
    ['A call of whoever asks.', 'whoever'],
    ['Servers are spared.', 'are spared'],
    ['It works. What you keep, remove.', 'What you keep, remove.'],
    ['- Who asks gets it.', 'Who asks gets it.'],
    ['   What you keep, remove.', 'What you keep, remove.'],
    ['A reload takes the task up again.', 'takes the task up'],
    ['A sign-in that is under way.', 'under way'],
    ['First log in.', 'log in'],
    ['A task that is at work.', 'at work'],
    ['See how the answer fares.', 'fares'],
    ['It waits for ever.', 'for ever'],
    ['The log has what became of it.', 'what became of'],
    ['The sign-in came to nothing.', 'came to nothing'],
    ['The url is no URL.', 'is no U'],
    ['It ends. Where it is missing, pass it.', 'Where it is missing,'],
  ])('may not say: %s', (sentence, found) => {
    expect(checkProse(page(sentence))).toEqual([expect.stringContaining(`line 3: "${found}": `)])
  })

  it('says which word is ours where it refuses another', () => {
    expect(checkProse(page('Log in first.'))).toEqual([
      'line 3: "Log in": our word is "sign in": get a token for the user.',
    ])
    expect(TERMS.map(({ term }) => term)).toEqual(['call', 'task', 'run', 'poll', 'resume', 'cancel', 'sign in'])
  })

  it('may say that there is no such thing, and that one is no longer there', () => {
    expect(checkProse(page('There is no task. It is no longer polled. Choose where it runs.'))).toEqual([])
  })

  it('begins a sentence after code with a capital letter', () => {
    expect(checkProse(page('```sh', 'npm test', '```', '', 'runs all tests.'))).toEqual([
      'line 7: "runs all tests.": begin the sentence after the code with a capital letter.',
    ])
    expect(checkProse(page('```sh', 'npm test', '```', '', 'This runs all tests.'))).toEqual([])
  })

  it('may ask questions, and may have code, addresses, footnotes and comments with any words', () => {
    const text = page(
      'What is a key? See [keys](any-more-anew.md)[^anew], `nobody()` and <a title="by itself">this</a>.',
      '<!-- It goes on. -->',
      '',
      '```ts',
      'goesOn("anew, by itself")',
      '```',
      '',
      '[^anew]: In [a.test.ts](a.test.ts): "goes on by itself".',
    )
    expect(checkProse(text)).toEqual([])
  })
})

describe('the texts of a source', () => {
  it('are held to the same, and its comments are not', () => {
    const source =
      "/** Goes on\n * by itself. */\nconst text = 'It goes on.' // anew\nconst url = 'https://x.example/anew'"
    expect(checkTexts(source)).toEqual([
      expect.stringContaining('line 3: "goes on"'),
      expect.stringContaining('line 4: "anew"'),
    ])
  })
})
