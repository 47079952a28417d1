import type { InputResponse, ToolCallState } from 'taskwire'
import type { ElicitationSource } from 'taskwire/forms'
import { showElicitationForm } from '../../docs/examples/forms/showElicitationForm.js'

// Two forms whose fields have the names of what a <form> has itself. The page shows what is sent.
const properties = Object.fromEntries(
  ['elements', 'ownerDocument', 'contains', 'getRootNode', 'querySelector'].map((name) => [
    name,
    { type: 'string', title: `Your ${name}` },
  ]),
)
const output = document.createElement('output')

for (const inputKey of ['first', 'second']) {
  const regions = { type: 'array', title: 'Regions', items: { enum: ['Europe', 'Asia'] }, minItems: 1 }
  const requestedSchema = { type: 'object', properties: { ...properties, regions }, required: ['elements', 'regions'] }
  const call = {
    inputRequests: {
      [inputKey]: { method: 'elicitation/create', params: { mode: 'form', message: inputKey, requestedSchema } },
    },
    inputResponses: {},
  } as unknown as ToolCallState
  const respond = async (_: string, response: InputResponse) => {
    output.textContent = JSON.stringify(response)
  }
  const client = {
    getToolCall: () => ({ respond }),
    getToolCallState: () => call,
    subscribeToolCall: () => () => {},
  } as unknown as ElicitationSource['client']
  const request = call.inputRequests[inputKey]
  if (request) showElicitationForm(document.body, { client, callId: 'call', inputKey, request })
}
document.body.append(output)
addEventListener('unhandledrejection', ({ reason }) => {
  output.textContent = String(reason)
})
