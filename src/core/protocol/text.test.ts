import { describe, expect, it } from 'vitest'
import { withoutId, withoutIdInCause, withoutIdInJson } from './text.js'

const ID = 'task-secret-1'
const FULL = 4096

/** As long as a text that was cut, and with this end. */
const cut = (end: string) => end.padStart(FULL, ' ')

describe('withoutId()', () => {
  it('takes the id out of a text, also where there is nothing else in it', () => {
    expect(withoutId(`unknown task ${ID}.`, ID)).toBe('unknown task [task].')
    expect(withoutId(ID, ID)).toBe('[task]')
    expect(withoutId(ID, undefined)).toBe(ID)
  })

  it.each([8, 9, 12])('takes the first %i characters out of a text that was cut within the id', (length) => {
    expect(withoutId(cut(ID.slice(0, length)), ID)).toBe(`${' '.repeat(FULL - length)}[task]`)
  })

  it.each([
    ['too little of the id to guard', cut(ID.slice(0, 7))],
    ['the id within a word', cut(`x${ID}`)],
    ['the beginning of the id at its own beginning', `${ID.slice(0, 9)}${' '.repeat(FULL)}`],
    ['the beginning of the id, where it was not cut', ID.slice(0, 9)],
    ['one character less than a text that was cut', cut(ID.slice(0, 9)).slice(1)],
  ])('leaves %s', (_name, text) => {
    expect(withoutId(text, ID)).toBe(text)
  })
})

describe('withoutIdInJson()', () => {
  it('takes the id out of every text, and out of keys', () => {
    expect(withoutIdInJson({ [ID]: [ID, 7, null, { at: ID }] }, ID)).toEqual({
      '[task]': ['[task]', 7, null, { at: '[task]' }],
    })
  })
})

describe('withoutIdInCause()', () => {
  it('copies name, message, code and causes, and nothing else', () => {
    const cause = Object.assign(new TypeError(`no ${ID}`, { cause: `see ${ID}` }), { code: 'ECONNRESET', body: ID })
    const copy = withoutIdInCause(cause, ID)
    expect(copy).toMatchObject({ name: 'TypeError', message: 'no [task]', cause: 'see [task]', code: 'ECONNRESET' })
    expect(copy).not.toHaveProperty('body')
  })

  it('copies a code that is a number, and none that is something else', () => {
    expect(withoutIdInCause(Object.assign(new Error('x'), { code: 7 }), ID)).toHaveProperty('code', 7)
    expect(withoutIdInCause(Object.assign(new Error('x'), { code: {} }), ID)).not.toHaveProperty('code')
  })

  it('gives an error without a cause none, and makes nothing of what is neither error nor text', () => {
    expect(withoutIdInCause(new Error('x'), ID)).not.toHaveProperty('cause')
    expect(withoutIdInCause({ message: 'x' }, ID)).toBeUndefined()
  })

  it('follows causes that go round in a circle eight times', () => {
    const cause: Error = new Error('round')
    cause.cause = cause
    let depth = -1
    for (let at = withoutIdInCause(cause, ID); at instanceof Error; at = at.cause) depth += 1
    expect(depth).toBe(8)
  })
})
