import { describe, expect, it, vi } from 'vitest'
import { workingRecord } from '../../tools/testing/workingRecord.js'
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
    expect(['a', 'b'].map(feed.isFollowed)).toEqual([false, true])
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

  it('lets nobody follow a task that is over or gone', () => {
    const feed = createTaskFeed()
    const one = follower()
    feed.follow(['over', 'gone', 'going'], one)
    feed.publish(workingRecord('over', { task: { ...workingRecord('over').task, status: 'cancelled' } }))
    feed.drop('gone')
    expect(one.onRecord).toHaveBeenCalledOnce()
    expect([...feed.followed()]).toEqual(['going'])
  })
})
