/**
 * What settles first. Unlike `Promise.race()`, it does not let the other promise, which may be pending for hours, keep that in
 * memory.
 */
export function firstOf<T>(one: Promise<T>, other: Promise<T>): Promise<T> {
  let open: { resolve(value: T): void; reject(reason: unknown): void } | undefined
  const first = new Promise<T>((resolve, reject) => {
    open = { resolve, reject }
  })
  const resolve = (value: T): void => {
    open?.resolve(value)
    open = undefined
  }
  const reject = (reason: unknown): void => {
    open?.reject(reason)
    open = undefined
  }
  // Neither promise nor what is returned may be a variable of these functions.
  one.then(resolve, reject)
  other.then(resolve, reject)
  return first
}
