import type { Browser } from 'playwright-core'
import { formatTable } from '../examples/table.js'
import type { InstalledApp } from '../examples/workspace.js'
import { moveServerAway, openStage, type Stage, type Visitor } from './backendStage.js'
import { GROUPS, type Group, visitorOf } from './durablePromises.js'

/**
 * Walks each promise of docs/durability.md once, in the page of an app whose client is in the backend. The MCP server is another process,
 * to which the way loses requests and responses; backend and server are killed. Prints which promises were seen, and throws where one
 * was not.
 */
export async function promisesThrough(app: InstalledApp, browser: Browser): Promise<void> {
  await moveServerAway(app)
  const stage = await openStage(app, browser)
  const rows: { promise: string; seen: string }[] = []
  const problems: string[] = []
  try {
    for (const group of GROUPS) {
      for (const { promise, problem } of await walkGroup(group, stage)) {
        rows.push({ promise, seen: problem === undefined ? 'yes' : 'NO' })
        if (problem !== undefined) problems.push(`${promise}: ${problem}`)
      }
    }
  } finally {
    await stage.close()
    console.log(formatTable(rows))
  }
  if (problems.length > 0) throw new Error(problems.join('\n\n'))
}

interface Outcome {
  readonly promise: string
  readonly problem: string | undefined
}

/** All walks of a group at once, each by a visitor of its own. */
async function walkGroup({ walks, between }: Group, stage: Stage): Promise<Outcome[]> {
  const begun = await Promise.all(
    Object.entries(walks).map(async ([promise, walk]) => {
      const visitor = await stage.visitor(visitorOf(promise))
      return { promise, visitor, rest: await settled(visitor, () => walk(visitor, stage)) }
    }),
  )
  await between(stage)
  return Promise.all(
    begun.map(async ({ promise, visitor, rest }) => {
      const { problem } = 'value' in rest ? await settled(visitor, rest.value) : rest
      await visitor.context.close()
      return { promise, problem }
    }),
  )
}

type Settled<T> = { readonly value: T; readonly problem?: never } | { readonly problem: string }

/** Where it fails, with what the visitor saw. */
async function settled<T>({ context }: Visitor, work: () => Promise<T>): Promise<Settled<T>> {
  try {
    return { value: await work() }
  } catch (error) {
    const seen = await Promise.all(context.pages().map((page) => page.locator('body').ariaSnapshot().catch(String)))
    return { problem: [error instanceof Error ? error.stack : String(error), ...seen].join('\n') }
  }
}
