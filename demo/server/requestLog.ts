import type { TaskServer } from 'taskwire/server'

/** A request as the server saw it. Times are ms since the epoch. */
export interface LoggedRequest {
  method: string
  /** The tool of a `tools/call`, the task of a `tasks/*`. */
  name?: string
  time: number
  answeredAt?: number
}

interface JsonRpcBody {
  method?: string
  params?: { name?: string; taskId?: string }
}

const LIMIT = 5000

/** Notes what a server is asked. For a demo on one's own machine: task ids give access to their tasks. */
export function createRequestLog() {
  const entries: LoggedRequest[] = []

  async function note(request: Request): Promise<LoggedRequest> {
    const { method = request.method, params }: JsonRpcBody = await request
      .clone()
      .json()
      .catch(() => ({}))
    const name = params?.name ?? params?.taskId
    return { method, ...(name !== undefined && { name }), time: Date.now() }
  }

  return {
    entries,
    /** The same server, with a note of each request. */
    around: ({ fetch }: Pick<TaskServer, 'fetch'>): Pick<TaskServer, 'fetch'> => ({
      fetch: async (request, options) => {
        const entry = await note(request)
        entries.push(entry)
        if (entries.length > LIMIT) entries.shift()
        const response = await fetch(request, options)
        entry.answeredAt = Date.now()
        return response
      },
    }),
  }
}
