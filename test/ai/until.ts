import type { TestServer } from 'taskwire/testing'

/** Lets simulated time pass until something is so. What is not the client's, such as streams, takes its turn between. */
export async function until(server: TestServer, isSo: () => boolean): Promise<void> {
  for (let turns = 0; !isSo(); turns += 1) {
    if (turns > 500) throw new Error('It has not come to pass.')
    await server.advance(100)
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** What a promise resolves to, by simulated time. */
export async function resolved<T>(server: TestServer, promise: Promise<T>): Promise<T> {
  let isSettled = false
  const settle = () => {
    isSettled = true
  }
  promise.then(settle, settle)
  await until(server, () => isSettled)
  return promise
}
