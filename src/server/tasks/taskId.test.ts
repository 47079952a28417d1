import { describe, expect, it } from 'vitest'
import { createTaskId } from './taskId.js'

describe('createTaskId', () => {
  it('[EDGE-17] has at least 122 random bits in characters that headers and URLs can hold', () => {
    const id = createTaskId()
    expect(id).toMatch(/^[A-Za-z0-9_-]+$/)
    expect(id.length * 6).toBeGreaterThanOrEqual(122)
  })

  it('never comes twice', () => {
    expect(new Set(Array.from({ length: 1000 }, createTaskId)).size).toBe(1000)
  })
})
