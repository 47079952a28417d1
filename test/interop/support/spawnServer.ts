import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

/** A server in a process of its own. */
export interface SpawnedServer {
  readonly url: string
  /** Ends the process, and resolves when it is gone. */
  stop(): Promise<void>
}

/** Runs a TypeScript program that prints the URL of its server in its first line, on a free port. */
export async function spawnServer(program: string, ...words: string[]): Promise<SpawnedServer> {
  const child = spawn(process.execPath, ['scripts/run.mjs', program, ...words], {
    env: { ...process.env, PORT: '0', HOST: '127.0.0.1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await once(createInterface({ input: child.stdout }), 'line')
  const [url] = /http:\S+/.exec(String(line)) ?? []
  if (url === undefined) throw new TypeError(`no server but ${line}`)
  return { url, stop: () => stop(child) }
}

async function stop(child: ChildProcess): Promise<void> {
  child.kill()
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
}
