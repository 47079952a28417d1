import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { execPath } from 'node:process'
import { build } from 'vite'
import type { Samples } from './child.js'
import { GAVE_UP } from './limits.js'
import { median, type Table } from './report.js'

/** One group of rows. */
export type Group = (runner: Runner) => Promise<readonly Table[]>

export interface Runner {
  /** Whether a rough answer will do. */
  readonly isQuick: boolean
  /**
   * Measures each of these in turn, in processes of their own, several times over, so that whatever else the machine
   * does meets all of them. The median of each figure; undefined where a measurement took too long.
   */
  medians<K extends keyof Samples>(name: K, inputs: readonly Input<K>[], rounds: number): (Output<K> | undefined)[]
}

type Figures = Readonly<Record<string, number>>
type Input<K extends keyof Samples> = Parameters<Samples[K]>[0]
type Output<K extends keyof Samples> = Awaited<ReturnType<Samples[K]>>

/** Inside of the project, so that Node finds the packages. */
const FOLDER = 'node_modules/.bench'

/** Bundles what is measured, as an app's build would, and measures it with plain Node. */
export async function createRunner(isQuick: boolean): Promise<Runner> {
  await build({
    configFile: false,
    publicDir: false,
    logLevel: 'error',
    resolve: { tsconfigPaths: true },
    // As in the production build of an app: what is checked in development is left out.
    define: { 'process.env.NODE_ENV': '"production"' },
    build: { ssr: 'bench/support/child.ts', outDir: FOLDER, emptyOutDir: true, minify: false },
  })

  function sample(name: string, input: unknown): Figures | undefined {
    const { status, stdout } = spawnSync(
      execPath,
      ['--no-warnings', '--expose-gc', resolve(FOLDER, 'child.js'), name, JSON.stringify(input)],
      { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] },
    )
    if (status === GAVE_UP) return undefined
    if (status !== 0) throw new Error(`Failed to measure ${name} ${JSON.stringify(input)}.`)
    return JSON.parse(stdout)
  }

  return {
    isQuick,
    medians: (name, inputs, rounds) => {
      const samples = inputs.map((): (Figures | undefined)[] => [])
      for (let round = 0; round < rounds; round++) {
        for (const [index, taken] of samples.entries()) {
          // Once is enough where it takes too long.
          if (!taken.includes(undefined)) taken.push(sample(name, inputs[index]))
        }
      }
      return samples.map(mediansOf) as never
    },
  }
}

/** The median of each figure. */
function mediansOf(samples: readonly (Figures | undefined)[]): Figures | undefined {
  const [first] = samples
  if (first === undefined || samples.includes(undefined)) return undefined
  const of = (name: string) => median(samples.map((sample) => sample?.[name] ?? Number.NaN))
  return Object.fromEntries(Object.keys(first).map((name) => [name, of(name)]))
}
