import { acceptedContent, inputRequired, ProtocolError } from '@modelcontextprotocol/server'
import { defineTool } from 'taskwire/server'
import { z } from 'zod'

declare function deploy(target: string, signal: AbortSignal): Promise<'done' | 'rolled back'>

// #region tool
const window = z.object({ hours: z.number() })
const approval = z.object({ approved: z.boolean() })

export const deployTool = defineTool({
  name: 'deploy',
  inputSchema: z.object({ target: z.string() }),
  taskSupport: 'required',
  ttlMs: 24 * 3_600_000,

  // Before there is a task, with the client waiting: the SDK's multi round-trip.
  prepare(_args, { inputResponses }) {
    if (acceptedContent(inputResponses, 'window', window) !== undefined) return undefined
    const question = inputRequired.elicit({ message: 'How long may it take?', requestedSchema: window })
    return inputRequired({ inputRequests: { window: question } })
  },

  async handler({ target }, { task, signal }) {
    // While the task runs: it stands in input_required until somebody answers.
    const answer = await task?.elicit({ message: `Deploy to ${target}?`, requestedSchema: approval })
    if (answer?.action !== 'accept') throw new ProtocolError(-32050, 'Nobody approved', { target })

    await task?.setStatus('Deploying')
    const outcome = await deploy(target, signal)
    return { content: [{ type: 'text', text: outcome }], isError: outcome === 'rolled back' }
  },
})
// #endregion tool
