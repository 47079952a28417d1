import { type Accessor, createMemo, createSignal, onCleanup, onMount, sharedConfig } from 'solid-js'
import { isServer } from 'solid-js/web'

/**
 * The return value of `read`, read again when `subscribe` calls its listener. Subscribes again when what `subscribe` reads
 * changes. On a server, and until a component is hydrated, it is `none`: the server had nothing.
 */
export function createSubscription<T>(
  subscribe: (listener: () => void) => () => void,
  read: () => T,
  none: T,
): Accessor<T> {
  if (isServer) return () => none
  const current = createMemo(() => {
    const isHydrating = Boolean(sharedConfig.context)
    const [value, setValue] = createSignal(isHydrating ? none : read())
    const update = () => void setValue(() => read())
    onCleanup(subscribe(update))
    if (isHydrating) onMount(update)
    return value
  })
  return () => current()()
}
