import { TaskConfigurationError } from '../protocol/errors.js'
import type { TaskRecord } from './taskRecord.js'
import type { TaskStore } from './taskStore.js'

/** Keeps tasks in the memory of this process: they end with it, and no other process sees them. */
export class MemoryTaskStore implements TaskStore {
  readonly isShared: boolean = false
  readonly #records = new Map<string, TaskRecord>()
  readonly #idsByOwner = new Map<string, Set<string>>()

  async create(record: TaskRecord): Promise<void> {
    const { taskId } = record.task
    if (this.#records.has(taskId)) {
      throw new TaskConfigurationError('Failed to create a task: its id is in use. Create tasks with random ids.')
    }
    this.#records.set(taskId, record)
    const ids = this.#idsByOwner.get(record.owner)
    if (ids === undefined) this.#idsByOwner.set(record.owner, new Set([taskId]))
    else ids.add(taskId)
  }

  async get(taskId: string): Promise<TaskRecord | undefined> {
    return this.#records.get(taskId)
  }

  async transition(next: TaskRecord, expectedVersion: number): Promise<boolean> {
    if (this.#records.get(next.task.taskId)?.version !== expectedVersion) return false
    this.#records.set(next.task.taskId, next)
    return true
  }

  async expire(now: number): Promise<number | null> {
    let earliest: number | null = null
    for (const record of this.#records.values()) {
      const { expiresAt } = record
      if (expiresAt === null) continue
      if (expiresAt <= now) this.#remove(record)
      else if (earliest === null || expiresAt < earliest) earliest = expiresAt
    }
    return earliest
  }

  async list(owner: string): Promise<readonly TaskRecord[]> {
    const ids = this.#idsByOwner.get(owner) ?? []
    return [...ids].flatMap((taskId) => this.#records.get(taskId) ?? [])
  }

  #remove({ owner, task }: TaskRecord): void {
    this.#records.delete(task.taskId)
    const ids = this.#idsByOwner.get(owner)
    ids?.delete(task.taskId)
    if (ids?.size === 0) this.#idsByOwner.delete(owner)
  }
}
