import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** Processes of one kind, which are replaced when they end. */
export interface Fleet {
  /** URLs of web processes that run. */
  readonly urls: readonly string[]
  /** Ids of the processes that run, by place. */
  readonly pids: readonly (number | undefined)[]
  /** Sends a signal to the process at this place; the place has a new one when it has ended. */
  signal(place: number, signal: NodeJS.Signals): void
  /** Resolves when every place has a process that is ready. */
  ready(): Promise<unknown>
  stop(): Promise<void>
}

/** What the processes of a fleet run. */
export interface FleetOptions {
  /** A program that prints its URL, or anything else, when it is ready. */
  readonly program: URL
  readonly args: readonly string[]
  readonly size: number
  /** Called with every line that a process prints after the first. */
  readonly onLine?: (line: string, place: number) => void
}

export function startFleet({ program, args, size, onLine }: FleetOptions): Fleet {
  const places: { child: ChildProcess; url?: string; ready: Promise<void> }[] = []
  let isStopping = false

  function start(place: number): void {
    const child = spawn(process.execPath, ['scripts/run.mjs', fileURLToPath(program), ...args], {
      // They end when the process that started them does, which holds the other end of their input.
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    const lines = createInterface({ input: child.stdout })
    const own: (typeof places)[number] = {
      child,
      ready: once(lines, 'line').then(([line]) => {
        if (String(line).startsWith('http')) own.url = String(line)
        lines.on('line', (next) => onLine?.(next, place))
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
    get pids() {
      return places.map(({ child }) => child.pid)
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
