import { setTimeout } from 'node:timers/promises'
import {
  acceptedContent,
  inputRequired,
  ProtocolError,
} from '@modelcontextprotocol/server'
import { defineTool } from 'taskwire/server'
import { z } from 'zod'

const window = z.object({ hours: z.number() })
const approval = z.object({ approved: z.boolean() })

export const deployTool = defineTool({
  name: 'deploy',
  inputSchema: z.object({ target: z.string() }),
  taskSupport: 'required',
  ttlMs: 24 * 3_600_000,

  // Runs before there is a task, while the client waits: a multi round-trip
  // request of the SDK.
  prepare(_args, { inputResponses }) {
    if (acceptedContent(inputResponses, 'window', window) !== undefined)
      return undefined
    const request = inputRequired.elicit({
      message: 'How long may it take?',
      requestedSchema: window,
    })
    return inputRequired({ inputRequests: { window: request } })
  },

  async handler({ target }, { progress, elicit, signal }) {
    // The task runs. Its status is input_required until the client responds.
    const response = await elicit({
      message: `Deploy to ${target}?`,
      requestedSchema: approval,
    })
    if (response.action !== 'accept')
      throw new ProtocolError(-32050, 'The deployment was not approved', {
        target,
      })

    await progress('Deploying')
    const outcome = await deploy(target, signal)
    return {
      content: [{ type: 'text', text: outcome }],
      isError: outcome === 'rolled back',
    }
  },
})

/** Put your own work here. It ends early if the client cancels the task. */
async function deploy(
  _target: string,
  signal: AbortSignal,
): Promise<'done' | 'rolled back'> {
  await setTimeout(10_000, undefined, { signal })
  return 'done'
}
