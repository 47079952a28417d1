import type { Attention } from '../../core/environment/attention.js'

/** How many calls have settled while nobody looked, in front of the title of the page: "(2) My app". */
export interface TitleBadge {
  add(): void
  clear(): void
}

export function createTitleBadge({ title, setTitle }: Pick<Attention, 'title' | 'setTitle'>): TitleBadge {
  let count = 0

  /** The title without our badge; that of another client, and what the app has set meanwhile, stays. */
  function ownTitle(): string {
    const now = title()
    const badge = `(${count}) `
    const [badges] = /^(?:\(\d+\) )*/.exec(now) ?? ['']
    const start = count === 0 ? -1 : badges.indexOf(badge)
    return start === -1 ? now : now.slice(0, start) + now.slice(start + badge.length)
  }

  return {
    add: () => {
      const own = ownTitle()
      count += 1
      setTitle(`(${count}) ${own}`)
    },
    clear: () => {
      if (count === 0) return
      setTitle(ownTitle())
      count = 0
    },
  }
}
