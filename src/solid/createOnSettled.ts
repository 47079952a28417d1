import { type Accessor, createEffect, onCleanup } from 'solid-js'
import type { OnSettled } from '../bindings/onSettled.js'
import type { TaskClient } from '../client/taskClient.js'

/** Calls `onSettled` with each call that settles and is the component's. On a server effects do not run. */
export function createOnSettled(
  client: Accessor<TaskClient>,
  options: Accessor<OnSettled>,
  isOwn: (callId: string) => boolean,
): void {
  createEffect(() => {
    const unsubscribe = client().onToolCallSettled((call) => {
      if (isOwn(call.callId)) options().onSettled?.(call)
    })
    onCleanup(unsubscribe)
  })
}
