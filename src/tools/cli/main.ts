#!/usr/bin/env node
import { lookup } from 'node:dns/promises'
import { browserEnvironment } from '../../core/environment/browserEnvironment.js'
import { run } from './run.js'
import { FAILED, OK, type Terminal } from './terminal.js'

/** Made when a command looks at it: then it is the command that ends by it, not the process. */
let stopping: AbortController | undefined

function stopSignal(): AbortSignal {
  if (stopping === undefined) {
    const controller = new AbortController()
    stopping = controller
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => controller.abort())
  }
  return stopping.signal
}

// Who reads may stop early, as `head` does: then there is nobody to write to.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') process.exit(OK)
    if (stream === process.stdout) terminal.warn(`Failed to write the output: ${message}`)
    process.exit(FAILED)
  })
}

const terminal: Terminal = {
  print: (line) => void process.stdout.write(`${line}\n`),
  warn: (line) => void process.stderr.write(`${line}\n`),
  environment: browserEnvironment(),
  lookUp: (host) =>
    lookup(host).then(
      ({ address }) => address,
      () => undefined,
    ),
  get signal() {
    return stopSignal()
  },
}

process.exitCode = await run(process.argv.slice(2), terminal)
