import { deepStrictEqual, ok, strictEqual } from 'node:assert'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import type { InstalledApp } from './workspace.js'

/** A page starts a call and is closed. The backend sleeps, follows the call by alarms, and has its result for the next page. */
export async function sleepThrough(app: InstalledApp, url: string): Promise<void> {
  await cp(join(import.meta.dirname, 'sleeper.mjs'), join(app.path, 'sleeper.mjs'))
  const printed = await app.run(['node', 'sleeper.mjs', `${url}api/calls`])
  const { content, status, endedBeforeMs } = JSON.parse(printed)
  strictEqual(status, 'connected')
  deepStrictEqual(content, [{ type: 'text', text: '5 regions sold 4,200 pieces in Q3.' }])
  ok(endedBeforeMs > 2000, `the backend knew the end ${endedBeforeMs} ms before it was asked`)
}
