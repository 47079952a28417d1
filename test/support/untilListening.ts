import { connect } from 'node:net'

/** Resolves once a connection is accepted. Bounded: the process that should listen may have failed. */
export async function untilListening(port: number, ms = 5000): Promise<void> {
  for (let attempt = 0; attempt < ms / 25; attempt += 1) {
    const socket = connect(port, '127.0.0.1')
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true))
      socket.once('error', () => resolve(false))
    })
    socket.destroy()
    if (isOpen) return
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  throw new TypeError(`Nothing listens on port ${port}.`)
}
