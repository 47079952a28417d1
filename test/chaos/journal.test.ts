import { describe, expect, it } from 'vitest'
import { createJournal, firstDifference } from './journal.js'

describe('the journal of a schedule', () => {
  it('finds nothing between two runs in which the same happened', () => {
    expect(firstDifference(['0 a', '1 b'], ['0 a', '1 b'])).toBeUndefined()
  })

  it('names the last line that two runs share, and what each has after it', () => {
    expect(firstDifference(['0 a', '1 b'], ['0 a', '2 b'])).toBe('after: 0 a\nonce:  1 b\nagain: 2 b')
  })

  it('names the end of the run that stops first', () => {
    expect(firstDifference(['0 a'], ['0 a', '1 b'])).toBe('after: 0 a\nonce:  the end\nagain: 1 b')
    expect(firstDifference(['0 a'], [])).toBe('after: the start\nonce:  0 a\nagain: the end')
  })

  it('has a digest that tells when something happened', () => {
    const digestAt = (at: number) => {
      const journal = createJournal(() => at)
      journal.note('a poll')
      return journal.digest()
    }
    expect(digestAt(1)).toBe(digestAt(1))
    expect(digestAt(1)).not.toBe(digestAt(2))
  })

  it('has the same digest whether or not the version of Node says in which line JSON is broken', () => {
    const digestOf = (text: string) => {
      const journal = createJournal(() => 0)
      journal.note(text)
      return journal.digest()
    }
    expect(digestOf('broken at position 9 (line 1 column 10)')).toBe(digestOf('broken at position 9'))
  })

  it('has the same digest in whichever order things happened within an instant, and another one where instants change', () => {
    const digestOf = (...notes: [at: number, text: string][]) => {
      let at = 0
      const journal = createJournal(() => at)
      for (const [time, text] of notes) {
        at = time
        journal.note(text)
      }
      return journal.digest()
    }
    expect(digestOf([0, 'a'], [0, 'b'], [1, 'c'])).toBe(digestOf([0, 'b'], [0, 'a'], [1, 'c']))
    expect(digestOf([0, 'a'], [0, 'b'], [1, 'c'])).not.toBe(digestOf([0, 'a'], [1, 'b'], [1, 'c']))
  })
})
