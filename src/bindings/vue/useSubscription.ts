import {
  getCurrentInstance,
  getCurrentScope,
  onMounted,
  type ShallowRef,
  shallowRef,
  type WatchSource,
  watch,
} from 'vue'
import { isServer } from './vueQuery.js'

/**
 * The return value of `read`, read again when `subscribe` calls its listener. Subscribes again when one of the sources changes.
 * On a server, and until a component is hydrated, it is `none`: the server had nothing.
 */
export function useSubscription<T>(
  sources: WatchSource[],
  subscribe: (listener: () => void) => () => void,
  read: () => T,
  none: T,
): Readonly<ShallowRef<T>> {
  const value = shallowRef(none) as ShallowRef<T>
  const update = () => {
    value.value = read()
  }
  const start = () => {
    watch(
      sources,
      (_now, _before, onCleanup) => {
        update()
        onCleanup(subscribe(update))
      },
      { immediate: true, flush: 'sync' },
    )
  }
  if (isServer) return value
  // Of a store, it is the scope of that: it outlives the component that uses it first.
  const scope = getCurrentScope()
  // A component that is hydrated has its element before it is set up.
  if (getCurrentInstance()?.vnode.el) onMounted(() => scope?.run(start))
  else start()
  return value
}
