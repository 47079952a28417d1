import { describe, expect, it } from 'vitest'
import { decodeTaskAddress, encodeTaskAddress } from './taskAddress.js'

describe('the address of a task', () => {
  it.each([
    ['t1', undefined],
    ['t1', 's1'],
    ['a task with spaces', 's1'],
  ])('%j in the session %j survives the way there and back', (taskId, sessionId) => {
    const address = { taskId, sessionId }
    expect(decodeTaskAddress(encodeTaskAddress(address))).toEqual(address)
  })

  it.each(['t1', 'session:not one'])('is the id %j itself where there is no session', (taskId) => {
    expect(encodeTaskAddress({ taskId, sessionId: undefined })).toBe(taskId)
  })

  it('an id that a person brought along is used as it is', () => {
    expect(decodeTaskAddress('session:x')).toEqual({ taskId: 'session:x', sessionId: undefined })
    expect(decodeTaskAddress('my task')).toEqual({ taskId: 'my task', sessionId: undefined })
  })
})
