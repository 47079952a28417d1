import { TaskConfigurationError } from '../../core/protocol/errors.js'
import { isTerminal } from '../../core/protocol/task.js'
import { createTally, type Tally } from '../base/tally.js'
import {
  isBefore,
  isListed,
  limitOf,
  pageOf,
  positionOf,
  summaryOf,
  type TaskListFilter,
  type TaskPage,
} from './taskList.js'
import type { TaskRecord } from './taskRecord.js'
import type { TaskStore } from './taskStore.js'
import { isWorkedOnHere } from './workHere.js'

/** When to look again at a task whose expiry is to be postponed, in ms. */
const AGAIN_MS = 60_000

/**
 * Keeps tasks in the memory of this process. They are lost when the process ends, and no other process sees them. `expire` leaves a
 * task that a server of this process works on, since a process that has slept has not postponed its expiry yet.
 */
export class InMemoryTaskStore implements TaskStore {
  readonly isShared: boolean = false
  readonly #records = new Map<string, TaskRecord>()
  readonly #atWork: Tally = createTally()
  readonly #listeners = new Set<(taskId?: string, version?: number) => void>()

  /** How many tasks the store has, including expired tasks that are not removed yet. */
  get size(): number {
    return this.#records.size
  }

  async create(record: TaskRecord): Promise<void> {
    const { taskId } = record.task
    if (this.#records.has(taskId)) {
      throw new TaskConfigurationError('Failed to create a task: its id is in use.')
    }
    this.#put(taskId, record)
  }

  async get(taskId: string): Promise<TaskRecord | undefined> {
    return this.#records.get(taskId)
  }

  async transition(next: TaskRecord, expectedVersion: number): Promise<boolean> {
    const { taskId } = next.task
    if (this.#records.get(taskId)?.version !== expectedVersion) return false
    this.#put(taskId, next)
    return true
  }

  async remove(taskId: string): Promise<void> {
    this.#put(taskId, undefined)
  }

  async expire(now: number): Promise<number | null> {
    let earliest: number | null = null
    for (const [taskId, record] of this.#records) {
      if (record.expiresAt === null) continue
      // Another server of this process may work on it, and have slept.
      const isKept = record.expiresAt <= now && !this.isShared && isWorkedOnHere(record)
      const expiresAt = isKept ? now + AGAIN_MS : record.expiresAt
      if (expiresAt <= now) this.#put(taskId, undefined)
      else if (earliest === null || expiresAt < earliest) earliest = expiresAt
    }
    return earliest
  }

  async countAtWork(owner: string): Promise<number> {
    return this.#atWork.of(owner)
  }

  async lapsed(now: number, limit: number): Promise<readonly string[]> {
    const found: string[] = []
    for (const [taskId, { task, lease }] of this.#records) {
      if (found.length === limit) break
      if (lease !== undefined && lease.until <= now && !isTerminal(task.status)) found.push(taskId)
    }
    return found
  }

  async list(filter: TaskListFilter): Promise<TaskPage> {
    const limit = limitOf(filter)
    const position = positionOf(filter)
    const all = [...this.#records.values()].map(summaryOf).filter((task) => isListed(task, filter))
    all.sort((one, other) => (isBefore(one, other) ? -1 : 1))
    return pageOf(
      all.filter((task) => position === undefined || isBefore(position, task)),
      limit,
    )
  }

  watch(onChange: (taskId?: string, version?: number) => void): () => void {
    this.#listeners.add(onChange)
    return () => this.#listeners.delete(onChange)
  }

  #put(taskId: string, next: TaskRecord | undefined): void {
    const before = this.#records.get(taskId)
    if (before !== undefined && !isTerminal(before.task.status)) this.#atWork.remove(before.owner)
    if (next !== undefined && !isTerminal(next.task.status)) this.#atWork.add(next.owner)
    if (next === undefined) this.#records.delete(taskId)
    else this.#records.set(taskId, next)
    if (next !== undefined) for (const listener of this.#listeners) listener(taskId, next.version)
  }
}
