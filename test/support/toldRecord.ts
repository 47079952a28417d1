/** Whose call it is: that of the tool `report` and the key `k`, made at the server of most tests. */
export interface ToldCall {
  readonly callId: string
  readonly key?: string
  readonly startedAt?: number
}

/** The message in which a tab tells what it knows of a task. Any script of the origin can post it, and say in it what it likes. */
export function toldRecord({ callId, key = 'k', startedAt = 0 }: ToldCall, task: Record<string, unknown>) {
  return {
    v: 1,
    type: 'record',
    record: {
      v: 1,
      callId,
      tool: 'report',
      key,
      endpoint: 'https://tasks.example/mcp',
      scope: '',
      era: 'modern',
      startedAt,
      task: {
        taskId: 'task-secret-1',
        status: 'working',
        createdAt: '',
        lastUpdatedAt: '',
        ttlMs: null,
        receivedAt: startedAt,
        answered: [],
        ...task,
      },
    },
  }
}
