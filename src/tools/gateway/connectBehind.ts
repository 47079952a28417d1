import { Client, type Transport } from '@modelcontextprotocol/client'
import type { TaskClient } from '../../core/client/taskClient.js'
import { ignoreRejection } from '../../core/protocol/ignoreRejection.js'
import { VERSION } from '../../core/protocol/version.js'
import type { Job } from '../../core/wire/jobs/job.js'
import { withTasks } from '../../sdk/withTasks/withTasks.js'
import type { Clock } from '../../server/base/clock.js'
import { nextMacrotask } from '../../server/base/nextMacrotask.js'
import type { ToolContext } from '../../server/tools/toolContext.js'
import { askLatest, elicitFor, sampleFor } from './askClient.js'
import { connectionClosed } from './callBehind.js'
import type { ProgressBehind } from './forwardProgress.js'
import { createTaskClientBehind } from './taskClientBehind.js'

/** What it takes to connect to the server behind. */
export interface ConnectBehindOptions {
  readonly transport: Transport
  readonly signal: AbortSignal
  readonly jobs: readonly Job[]
  readonly clock: Clock
  /**
   * The call that came last and is under way: a server of an earlier revision does not say which call its input request is
   * about.
   */
  readonly latest: () => ToolContext | undefined
  readonly onToolsChanged: () => void
  readonly onClose: () => void
}

/** How long a server may take to answer the first request, in ms: `npx` may have to install it. */
export const START_MS = 120_000
/** How long a stdio server of an earlier revision may be silent when it is asked for its revision, in ms. */
const PROBE_MS = 10_000

/** A connection to the server behind. */
export interface ConnectedBehind {
  readonly client: Client
  /** Follows jobs and tasks, over the same connection. */
  readonly taskClient: TaskClient
  /** Has `report` called with the progress that the server notifies for this token. Returns a function that ends that. */
  onProgress(token: string, report: (progress: ProgressBehind) => void): () => void
  /** Rejects when the connection is gone. */
  readonly closed: Promise<never>
}

/** Connects an SDK client to the server behind, in the revision that it speaks. */
export async function connectBehind(options: ConnectBehindOptions): Promise<ConnectedBehind> {
  const { transport, signal, jobs, clock, latest, onToolsChanged, onClose } = options
  const client = new Client(
    { name: 'taskwire-gateway', version: VERSION },
    {
      // What a client in front does not answer, it is not asked: the request fails then.
      capabilities: { elicitation: { form: {}, url: {} }, sampling: {} },
      versionNegotiation: { mode: 'auto', probe: { timeoutMs: PROBE_MS } },
      // To the call that they belong to: see `callBehind`.
      inputRequired: { autoFulfill: false },
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: onToolsChanged } },
    },
  )
  client.setRequestHandler('elicitation/create', ({ params }) => askLatest(latest, (call) => elicitFor(call, params)))
  client.setRequestHandler('sampling/createMessage', ({ params }) =>
    askLatest(latest, (call) => sampleFor(call, params)),
  )
  const reports = new Map<unknown, (progress: ProgressBehind) => void>()
  client.setNotificationHandler('notifications/progress', ({ params }) => reports.get(params.progressToken)?.(params))
  await client.connect(withTasks(transport), { signal, timeout: START_MS })
  const taskClient = createTaskClientBehind({ client, jobs, clock })
  const closed = new Promise<never>((_, reject) => {
    client.onclose = () => {
      onClose()
      // A call whose session was lost says so first: its tool has not run.
      void nextMacrotask().then(() => {
        void taskClient.close()
        reject(connectionClosed())
      })
    }
  })
  const onProgress: ConnectedBehind['onProgress'] = (token, report) => {
    reports.set(token, report)
    return () => void reports.delete(token)
  }
  return { client, taskClient, onProgress, closed: ignoreRejection(closed) }
}
