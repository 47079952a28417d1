import type { TaskClient } from 'taskwire'
import { showElicitationForm } from './showElicitationForm'

/**
 * Shows a form for each input request that waits for the user. Returns a
 * function that stops.
 */
export function showInbox(client: TaskClient, parent: Element): () => void {
  const shown = new Map<string, () => void>()

  function show() {
    const open = new Set<string>()
    for (const { callId, inputRequests } of Object.values(
      client.store.getState().calls,
    )) {
      for (const [inputKey, request] of Object.entries(inputRequests)) {
        const id = `${callId} ${inputKey}`
        open.add(id)
        if (!shown.has(id))
          shown.set(
            id,
            showElicitationForm(parent, { client, callId, inputKey, request }),
          )
      }
    }
    for (const [id, remove] of shown) {
      if (open.has(id)) continue
      remove()
      shown.delete(id)
    }
  }

  show()
  const unsubscribe = client.store.subscribe(show)
  return () => {
    unsubscribe()
    for (const remove of shown.values()) remove()
  }
}
