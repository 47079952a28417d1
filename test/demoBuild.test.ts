import { build, type Rolldown } from 'vite'
import { afterEach, expect, test, vi } from 'vitest'

afterEach(() => vi.unstubAllEnvs())

async function buildDemo(): Promise<Rolldown.OutputChunk[]> {
  // As `vite build` finds it outside of a test.
  vi.stubEnv('NODE_ENV', 'production')
  const { output } = (await build({
    configFile: 'demo/vite.config.ts',
    logLevel: 'error',
    build: { write: false, minify: false },
  })) as Rolldown.RolldownOutput
  return output.filter((one) => one.type === 'chunk')
}

test('a production build of the demo has nothing of the devtools', async () => {
  const chunks = await buildDemo()
  const modules = chunks.flatMap(({ moduleIds }) => moduleIds)
  expect(modules.filter((id) => id.includes('/src/client/'))).not.toEqual([])
  expect(modules.filter((id) => id.includes('/src/devtools/'))).toEqual([])
  expect(chunks.filter(({ code }) => /taskwire-devtools|mountTaskwireDevtools/.test(code))).toEqual([])
})

test('a build that is asked for the devtools has them in a file of their own, loaded on demand', async () => {
  vi.stubEnv('VITE_DEVTOOLS', 'true')
  const chunks = await buildDemo()
  const withDevtools = chunks.filter(({ moduleIds }) => moduleIds.some((id) => id.includes('/src/devtools/')))
  expect(withDevtools.map(({ isEntry, isDynamicEntry }) => ({ isEntry, isDynamicEntry }))).toEqual([
    { isEntry: false, isDynamicEntry: true },
  ])
})
