import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'

/** Processes of one kind. Each that ends is replaced; those that ended without being told to are counted. */
export interface Fleet {
  readonly size: number
  /** True if each place has a process that has loaded its program. */
  readonly isWhole: boolean
  /** How many ended on their own. */
  readonly crashes: number
  /** How many kept a processor busy for ten seconds. */
  readonly spins: number
  /** How many did not end within 40 s of SIGTERM. */
  readonly deaf: number
  /** How a process ended that was not told to, in words. */
  readonly stories: readonly string[]
  signal(place: number, signal: NodeJS.Signals): void
  stop(): Promise<void>
}

/** What the processes of a fleet run. */
export interface FleetOptions {
  readonly program: string
  readonly size: number
  readonly env: (place: number) => Record<string, string>
}

interface Place {
  child: ChildProcess
  isTold: boolean
  isReady: boolean
  isStopped: boolean
  startedAt: number
  cpu: number
  busy: number
}

const SAMPLE_MS = 2000
/** Loading TypeScript keeps a processor busy. */
const WARM_UP_MS = 20_000
const DEAF_MS = 40_000

export function startFleet({ program, size, env }: FleetOptions): Fleet {
  const places: Place[] = []
  const stories: string[] = []
  let [crashes, spins, deaf] = [0, 0, 0]
  let isStopping = false

  function start(place: number): void {
    const child = spawn(process.execPath, ['scripts/run.mjs', program], {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...process.env, ...env(place) },
    })
    const own: Place = {
      child,
      isTold: false,
      isReady: false,
      isStopped: false,
      startedAt: performance.now(),
      cpu: 0,
      busy: 0,
    }
    places[place] = own
    child.stdout?.on('data', () => {
      own.isReady = true
    })
    let said = ''
    child.stderr?.on('data', (bytes) => {
      said = `${said}${bytes}`.slice(-2000)
    })
    child.once('exit', (code, signal) => {
      if (isStopping) return
      if (!own.isTold) {
        crashes += 1
        stories.push(`${program} ended with ${code ?? signal}: ${said}`)
      }
      start(place)
    })
  }

  function sample(): void {
    for (const place of places) {
      const cpu = cpuOf(place.child.pid)
      const isBusy = !place.isStopped && cpu - place.cpu > SAMPLE_MS * 0.85
      place.cpu = cpu
      place.busy = isBusy && performance.now() - place.startedAt > WARM_UP_MS ? place.busy + 1 : 0
      if (place.busy === 5) spins += 1
    }
  }

  for (let place = 0; place < size; place += 1) start(place)
  const timer = setInterval(sample, SAMPLE_MS)

  return {
    size,
    get isWhole() {
      return places.every(({ isReady, isTold }) => isReady && !isTold)
    },
    get crashes() {
      return crashes
    },
    get spins() {
      return spins
    },
    get deaf() {
      return deaf
    },
    stories,
    signal(place, signal) {
      const own = places[place]
      if (own === undefined) return
      own.isStopped = signal === 'SIGSTOP'
      if (signal === 'SIGKILL' || signal === 'SIGTERM') own.isTold = true
      own.child.kill(signal)
      if (signal !== 'SIGTERM') return
      setTimeout(() => {
        if (own.child.exitCode !== null || own.child.signalCode !== null) return
        deaf += 1
        own.child.kill('SIGKILL')
      }, DEAF_MS).unref()
    },
    async stop() {
      isStopping = true
      clearInterval(timer)
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

/** How long a process has used a processor, in ms; 0 where the platform does not say. */
function cpuOf(pid: number | undefined): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    return (Number(fields[11]) + Number(fields[12])) * 10
  } catch {
    return 0
  }
}
