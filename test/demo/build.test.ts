import { build, type Rolldown } from 'vite'
import { afterEach, expect, test, vi } from 'vitest'

afterEach(() => vi.unstubAllEnvs())

async function buildDemo(mode: string): Promise<Rolldown.RolldownOutput['output']> {
  // As `vite build` finds it outside of a test.
  vi.stubEnv('NODE_ENV', 'production')
  const { output } = (await build({
    configFile: 'demo/vite.config.ts',
    mode,
    logLevel: 'error',
    build: { write: false, minify: false },
  })) as Rolldown.RolldownOutput
  return output
}

const chunksOf = (output: Rolldown.RolldownOutput['output']) => output.filter((one) => one.type === 'chunk')

const has = (folder: string) => (chunk: Rolldown.OutputChunk) => chunk.moduleIds.some((id) => id.includes(folder))

test('a production build of the demo has nothing of the devtools, and no server', async () => {
  const output = await buildDemo('production')
  const chunks = chunksOf(output)
  expect(chunks.filter(has('/src/core/client/'))).not.toEqual([])
  expect(chunks.filter(has('/src/tools/devtools/'))).toEqual([])
  expect(chunks.filter(({ code }) => /taskwire-devtools|mountTaskwireDevtools/.test(code))).toEqual([])
  expect(output.map(({ fileName }) => fileName)).not.toContain('server.js')
})

test('the static site has its server in one script, and the devtools in a file that is loaded for itself', async () => {
  const output = await buildDemo('site')
  const server = output.find(({ fileName }) => fileName === 'server.js')
  // What a script that is no module cannot have.
  expect(server?.type === 'asset' && /^\s*(import|export)\b/m.test(String(server.source))).toBe(false)
  expect(String(server?.type === 'asset' && server.source)).toContain('tasks/get')

  const chunks = chunksOf(output)
  const panels = chunks.filter(has('/src/tools/devtools/mount'))
  expect(panels.map(({ isDynamicEntry }) => isDynamicEntry)).toEqual([true])
  const [panel] = panels
  expect(chunks.filter(({ imports }) => panel && imports.includes(panel.fileName))).toEqual([])
  // The page cannot see the server but through requests.
  expect(chunks.filter(has('/src/server/'))).toEqual([])
})

test('a build that is asked for the devtools has them in a file of their own, loaded on demand', async () => {
  vi.stubEnv('VITE_DEVTOOLS', 'true')
  const withDevtools = chunksOf(await buildDemo('production')).filter(has('/src/tools/devtools/'))
  expect(withDevtools.map(({ isEntry, isDynamicEntry }) => ({ isEntry, isDynamicEntry }))).toEqual([
    { isEntry: false, isDynamicEntry: true },
  ])
})
