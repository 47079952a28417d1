import { CLIENT_CAPABILITIES_META } from '../../core/protocol/extension.js'
import type { CallMeta } from '../../core/protocol/taskPort.js'
import type { ConnectedBehind } from './connectBehind.js'
import { forwardProgress, type ProgressBehind } from './forwardProgress.js'
import type { CallBehind } from './toolsBehind.js'

/** What a call of the server behind is made with. */
export interface RequestMeta {
  readonly meta: CallMeta
  readonly report: (progress: ProgressBehind) => void
}

/**
 * Makes a call of the server behind with `_meta` of the call in front. A server of 2026-07-28 is told what the client in front
 * declares, so that one which needs more says so with -32021; one of an earlier revision has been told with `initialize`. The
 * progress that it notifies is that of the call in front.
 */
export async function withRequestMeta<T>(
  { client, onProgress }: ConnectedBehind,
  { context }: CallBehind,
  make: (request: RequestMeta) => Promise<T>,
): Promise<T> {
  const { elicitation, sampling } = context.clientCapabilities
  const declared = { ...(elicitation && { elicitation }), ...(sampling && { sampling }) }
  const report = forwardProgress(context)
  const progressToken = crypto.randomUUID()
  const stop = onProgress(progressToken, report)
  try {
    return await make({
      meta: {
        ...context.meta,
        ...(client.getProtocolEra() === 'modern' && { [CLIENT_CAPABILITIES_META]: declared }),
        progressToken,
      },
      report,
    })
  } finally {
    stop()
  }
}
