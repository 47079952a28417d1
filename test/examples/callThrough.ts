import { deepStrictEqual, ok, strictEqual } from 'node:assert'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import type { InstalledApp } from './workspace.js'

/** A client in Node calls the tool of a server: a task with progress, its result, a cancellation and an error. */
export async function callThrough(app: InstalledApp, url: string): Promise<void> {
  await cp(join(import.meta.dirname, 'caller.mjs'), join(app.path, 'caller.mjs'))
  const printed = await app.run(['node', 'caller.mjs', `${url}mcp`])
  const { isTask, progress, content, cancellation, failure } = JSON.parse(printed)
  ok(isTask, 'the call did not become a task')
  ok(progress.length >= 3, `its progress was ${progress}`)
  deepStrictEqual(content, [{ type: 'text', text: '5 regions sold 4,200 pieces in Q3.' }])
  strictEqual(cancellation?.name, 'TaskCancelledError')
  deepStrictEqual(failure, { name: 'TaskFailedError', message: 'There are no sales of Q4 yet.' })
}
