import type { TaskRecord } from 'taskwire/server'
import { taskStoreContract } from 'taskwire/testing'
import { openIndexedDbTaskStore } from '../../demo/page/indexedDbTaskStore.js'

const open = () => openIndexedDbTaskStore(crypto.randomUUID())

/** Tries what every store must do on that of the demo. Called by the test, in the page. Resolves to what fails. */
export async function runContract(): Promise<{ passed: number; failed: string[] }> {
  const failed: string[] = []
  const tests = taskStoreContract(open)
  for (const { name, run } of tests) {
    await run().catch((error: unknown) => failed.push(`${name}: ${String(error)}`))
  }
  return { passed: tests.length - failed.length, failed }
}

/** One store, opened twice as by two workers: resolves to what each sees of what the other does. */
export async function shareStore(record: TaskRecord): Promise<unknown> {
  const name = crypto.randomUUID()
  const [one, other] = await Promise.all([openIndexedDbTaskStore(name), openIndexedDbTaskStore(name)])
  const { taskId } = record.task
  const told = new Promise((resolve) => other.watch((...change) => resolve(change)))
  await one.create(record)
  const second = { ...record, version: 2 }
  const changes = await Promise.all([one, other].map((store) => store.transition(second, 1)))
  return { told: await told, changes: changes.filter(Boolean).length, seen: (await other.get(taskId))?.version }
}
