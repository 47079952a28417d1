import { build, type Rolldown } from 'vite'
import { expect, test, vi } from 'vitest'

test('a production build of the demo has nothing of the devtools', async () => {
  // As `vite build` finds it outside of a test.
  vi.stubEnv('NODE_ENV', 'production')
  const { output } = (await build({
    configFile: 'demo/vite.config.ts',
    logLevel: 'error',
    build: { write: false, minify: false },
  })) as Rolldown.RolldownOutput
  const chunks = output.filter((one) => one.type === 'chunk')
  const modules = chunks.flatMap(({ moduleIds }) => moduleIds)
  expect(modules.filter((id) => id.includes('/src/client/'))).not.toEqual([])
  expect(modules.filter((id) => id.includes('/src/devtools/'))).toEqual([])
  expect(chunks.filter(({ code }) => /taskwire-devtools|mountTaskwireDevtools/.test(code))).toEqual([])
})
