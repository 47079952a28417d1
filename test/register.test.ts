import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url))

/** What the compiler says of an app: the apps declare a client for all of their program, so each is one of its own. */
async function compile(project: string): Promise<string> {
  const tsc = path('../node_modules/typescript/bin/tsc')
  try {
    return (await promisify(execFile)(process.execPath, [tsc, '--noEmit', '-p', path(`register/${project}`)])).stdout
  } catch (error) {
    return (error as { stdout: string }).stdout
  }
}

it('an app that registers its client has the names, arguments and results of its tools in every hook', async () => {
  expect(await compile('tsconfig.json')).toBe('')
})

it('an app that registers two clients is told to pass the others to the hooks', async () => {
  const said = await compile('two.tsconfig.json')
  expect(said).toMatch('Register has one client. Pass the others to the hooks: useToolCall({ client, … })')
  expect(said.match(/error TS/g)).toHaveLength(1)
})
