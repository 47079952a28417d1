import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Backend } from './parts.js'

/** Processes of one kind, which are replaced when they end. */
export interface Fleet {
  /** URLs of web processes that run. */
  readonly urls: readonly string[]
  /** Sends a signal to the process at this place; the place has a new one when it has ended. */
  signal(place: number, signal: NodeJS.Signals): void
  /** Resolves when every place has a process that is ready. */
  ready(): Promise<unknown>
  stop(): Promise<void>
}

const program = fileURLToPath(new URL('process.ts', import.meta.url))

export function startFleet(role: 'web' | 'worker', size: number, backend: Backend, url: string, log: string): Fleet {
  const places: { child: ChildProcess; url?: string; ready: Promise<void> }[] = []
  let isStopping = false

  function start(place: number): void {
    const child = spawn(process.execPath, ['scripts/run.mjs', program, role, backend, url, log], {
      // They end with whoever holds the other end of their input.
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    const own: (typeof places)[number] = {
      child,
      ready: once(createInterface({ input: child.stdout }), 'line').then(([line]) => {
        if (role === 'web') own.url = String(line)
      }),
    }
    places[place] = own
    child.once('exit', () => {
      delete own.url
      if (!isStopping) start(place)
    })
  }

  for (let place = 0; place < size; place += 1) start(place)

  return {
    get urls() {
      return places.flatMap(({ url: at }) => at ?? [])
    },
    signal: (place, signal) => void places[place]?.child.kill(signal),
    ready: () => Promise.all(places.map((place) => place.ready)),
    async stop() {
      isStopping = true
      await Promise.all(
        places.map(async ({ child }) => {
          child.kill('SIGCONT')
          child.kill('SIGKILL')
          if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
        }),
      )
    },
  }
}
