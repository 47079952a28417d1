import type { Unsubscribe } from '../environment/environment.js'
import { createTurns } from '../storage/turns.js'
import type { CallTabs } from './callTabs.js'
import type { TabLink, TaskNews } from './tabLink.js'

/** A task that calls of this page follow, over one link to the other tabs. */
interface SharedTask {
  readonly link: TabLink
  /** One for each call. The first one is the one that polls. */
  readonly members: Set<Member>
  /** What is known of its polls, for calls that come later. */
  latest: TaskNews
}

interface Member {
  readonly onNews: Set<(news: TaskNews) => void>
  readonly onTurnChange: Set<() => void>
}

/**
 * The tabs as the calls of one page see them. Calls that refer to one task are to each other what other tabs
 * are: one of them polls, and the others hear of it.
 *
 * ```text
 * call 1  link ── polls ── answer ── ended
 * call 2       link ········ hears it ··· its turn ── polls ── answer
 * ```
 */
export function shareTasks<T extends Pick<CallTabs, 'link' | 'exclusively'>>(tabs: T): T {
  const tasks = new Map<string, SharedTask>()
  const inTurn = createTurns()

  function open(taskId: string, isNew: boolean, nextPollAt: number): SharedTask {
    const link = tabs.link(taskId, isNew, nextPollAt)
    const task: SharedTask = { link, members: new Set(), latest: { type: 'dropped', nextPollAt } }
    link.onNews((news) => tell(task, news))
    link.onTurnChange(() => pass(task))
    tasks.set(taskId, task)
    return task
  }

  function tell(task: SharedTask, news: TaskNews, from?: Member): void {
    if (news.type !== 'polling') task.latest = news
    for (const member of task.members) if (member !== from) emit(member.onNews, news)
  }

  function pass({ members }: SharedTask): void {
    const [first] = members
    if (first !== undefined) emit(first.onTurnChange, undefined)
  }

  return {
    ...tabs,
    exclusively: async (name, signal, work) => inTurn(name, () => tabs.exclusively(name, signal, work)),
    link: (taskId, isNew, nextPollAt) => {
      const known = tasks.get(taskId)
      const task = known ?? open(taskId, isNew, nextPollAt)
      const { link, members } = task
      const self: Member = { onNews: new Set(), onTurnChange: new Set() }
      members.add(self)
      const isFirst = () => members.values().next().value === self
      return {
        isMyTurn: () => isFirst() && link.isMyTurn(),
        takeTurn: () => {
          if (isFirst()) link.takeTurn()
        },
        onTurnChange: (listener) => subscribe(self.onTurnChange, listener),
        publish: (news) => {
          link.publish(news)
          tell(task, news, self)
        },
        onNews: (listener) => {
          if (known !== undefined) listener(task.latest)
          return subscribe(self.onNews, listener)
        },
        close: () => {
          const wasFirst = isFirst()
          members.delete(self)
          if (members.size > 0) return wasFirst ? pass(task) : undefined
          tasks.delete(taskId)
          link.close()
        },
      }
    },
  }
}

function subscribe<T>(listeners: Set<T>, listener: T): Unsubscribe {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

function emit<T>(listeners: ReadonlySet<(value: T) => void>, value: T): void {
  for (const listener of [...listeners]) listener(value)
}
