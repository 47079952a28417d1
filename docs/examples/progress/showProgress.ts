import type { TaskClient } from 'taskwire'
import { newsOf } from './newsOf'

/** Shows the progress of a call. Returns a function that stops this. */
export function showProgress(
  client: TaskClient,
  callId: string,
  parent: HTMLElement,
): () => void {
  const bar = document.createElement('progress')
  const news = document.createElement('p')
  news.setAttribute('role', 'status')

  function show() {
    const call = client.getToolCallState(callId)
    if (call === undefined || call.endedAt !== undefined)
      return parent.replaceChildren()
    bar.ariaLabel = call.name
    bar.max = call.progress?.total ?? 1
    // Without a value the bar moves back and forth: how long it takes is
    // unknown.
    if (call.progress?.total) bar.value = call.progress.progress
    else bar.removeAttribute('value')
    news.textContent = newsOf(call)
    if (!bar.isConnected) parent.replaceChildren(bar, news)
  }

  show()
  return client.subscribeToolCall(callId, show)
}
