import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Which database holds tasks and queue. */
export type Backend = 'redis' | 'postgres'

const DOCUMENTED = 'docs/examples/scale'
const LEASE_MS = 2000

/** The files of docs/scale.md in a folder of their own, with tools of the chaos and short leases. */
export interface DocumentedFiles {
  readonly web: string
  readonly worker: string
  remove(): void
}

/**
 * Writes the documented files as they stand, but for the tools, and the times, which would take minutes. Inside of the project, so
 * that they find its packages.
 */
export function writeDocumentedFiles(backend: Backend): DocumentedFiles {
  const folder = fileURLToPath(new URL(`run-${process.pid}-${backend}/`, import.meta.url))
  mkdirSync(folder, { recursive: true })
  const write = (name: string, text: string) => writeFileSync(`${folder}${name}`, text)
  const documented = (name: string) => readFileSync(`${DOCUMENTED}/${name}`, 'utf8')

  write('parts.ts', documented(backend === 'redis' ? 'parts.ts' : 'postgresParts.ts'))
  write(
    'tools.ts',
    "export { tools } from '../tools.ts'\n\nexport const serverInfo = { name: 'chaos', version: '1.0.0' }\n",
  )
  const short = `leaseMs: ${LEASE_MS}, maxTasksPerOwner: 1e6,`
  write('web.ts', replaced(documented('web.ts'), SERVER_PARTS, `serverInfo, tools, ${short}`))
  const worker = replaced(documented('worker.ts'), SERVER_PARTS, `serverInfo, tools, leaseMs: ${LEASE_MS},`)
  write('worker.ts', replaced(worker, /drainMs: [\d_]+/, 'drainMs: 500'))
  for (const role of ['web', 'worker'])
    write(`start-${role}.ts`, `import '../skew.ts'\nimport './${role}.ts'\n\nconsole.log('ready')\n`)

  return {
    web: `${folder}start-web.ts`,
    worker: `${folder}start-worker.ts`,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

const SERVER_PARTS = /serverInfo,\s+tools,/

function replaced(text: string, what: string | RegExp, by: string): string {
  const next = text.replace(what, by)
  if (next === text) throw new TypeError(`The documented file does not have ${what} any more.`)
  return next
}
