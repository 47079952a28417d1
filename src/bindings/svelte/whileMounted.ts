import { onMount } from 'svelte'
import { toStore } from 'svelte/store'
import { keepSame } from '../../core/client/toolCallGroup.js'

/** Calls `start` while the component is mounted, and what it returns afterwards; again where one of the sources is another one. */
export function whileMounted(sources: () => readonly unknown[], start: () => () => void): void {
  onMount(() => {
    let startedWith: readonly unknown[] | undefined
    let end = () => {}
    const unfollow = toStore(sources).subscribe((next) => {
      // Svelte's stores take every array for another one.
      if (keepSame(startedWith, next) === startedWith) return
      startedWith = next
      end()
      end = start()
    })
    return () => {
      unfollow()
      end()
    }
  })
}
