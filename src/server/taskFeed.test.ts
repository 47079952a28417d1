import { describe, expect, it, vi } from 'vitest'
import { workingRecord } from '../../test/server/support/records.js'
import { createTaskFeed } from './taskFeed.js'

const follower = () => ({ onRecord: vi.fn(), onClose: vi.fn() })

describe('createTaskFeed', () => {
  it('tells each follower of the tasks it follows and of no other, until it leaves', () => {
    const feed = createTaskFeed()
    const [one, other] = [follower(), follower()]
    const leave = feed.follow(['a', 'b'], one)
    feed.follow(['b'], other)
    for (const taskId of ['a', 'b', 'c']) feed.publish(workingRecord(taskId))
    leave()
    feed.publish(workingRecord('b'))
    expect(one.onRecord.mock.calls.map(([{ task }]) => task.taskId)).toEqual(['a', 'b'])
    expect(other.onRecord.mock.calls.map(([{ task }]) => task.taskId)).toEqual(['b', 'b'])
    expect([...feed.followed()]).toEqual(['b'])
  })

  it('lets a follower leave while it is told something', () => {
    const feed = createTaskFeed()
    const other = follower()
    const leave = feed.follow(['a'], { onRecord: () => leave(), onClose() {} })
    feed.follow(['a'], other)
    feed.publish(workingRecord('a'))
    expect(other.onRecord).toHaveBeenCalledOnce()
  })

  it('says when it closes, also to those who come later', () => {
    const feed = createTaskFeed()
    const [one, other] = [follower(), follower()]
    feed.follow(['a'], one)
    feed.close()
    feed.follow(['a'], other)
    expect(one.onClose).toHaveBeenCalledOnce()
    expect(other.onClose).toHaveBeenCalledOnce()
  })

  it('takes no more than 1024 followers', () => {
    const feed = createTaskFeed()
    const leaves = Array.from({ length: 1024 }, () => feed.follow(['a'], follower()))
    expect(() => feed.follow(['a'], follower())).toThrow('Subscription limit reached')
    leaves[0]?.()
    expect(() => feed.follow(['a'], follower())).not.toThrow()
  })
})
