import type { Observed } from './observed.js'

/** A framework or proxy whose configuration may need a change. */
export type Place = 'taskwire' | 'express' | 'hono' | 'fastmcp' | 'nginx'

/** A problem, and how to fix it. */
export interface Finding {
  /** The id of the check that found it. */
  readonly check: string
  /** The problem and its consequence, in a sentence or two. */
  readonly problem: string
  /** How to fix it, in a sentence. */
  readonly remedy: string
  /** The line that fixes the problem, by framework. */
  readonly lines?: Readonly<Partial<Record<Place, string>>>
}

/** The findings of a check; its caller adds the id. */
export type Found = Omit<Finding, 'check'>

/** One question about a server. It asks nothing itself: it judges what was seen. */
export interface Check {
  readonly id: string
  readonly title: string
  /** What is wrong; nothing where all is well, undefined where it could not be told. */
  readonly run: (seen: Observed) => readonly Found[] | undefined
}
