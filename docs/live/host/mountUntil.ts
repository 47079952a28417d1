/**
 * Mounts something that takes a while, and unmounts it when it is not wanted any more: also where it is ready after that.
 *
 * @param onCleanup takes what is called when it is not wanted any more
 * @param mount
 * @returns what is mounted; undefined where it was ready too late
 */
export async function mountUntil<T extends { unmount(): void }>(
  onCleanup: (clean: () => void) => void,
  mount: () => Promise<T>,
): Promise<T | undefined> {
  let isWanted = true
  let mounted: T | undefined
  onCleanup(() => {
    isWanted = false
    mounted?.unmount()
  })
  const ready = await mount()
  if (isWanted) mounted = ready
  else ready.unmount()
  return mounted
}
