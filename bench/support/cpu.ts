/** CPU time of this process, ms: garbage collection and compilation included, what other processes do left out. */
export function cpu(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** Bytes in use, once everything that can go has gone. */
export function heap(): number {
  for (let pass = 0; pass < 3; pass++) globalThis.gc?.()
  return process.memoryUsage().heapUsed
}
