#!/usr/bin/env node
import { lookup } from 'node:dns/promises'
import { browserEnvironment } from '../environment/browserEnvironment.js'
import { run } from './run.js'
import type { Terminal } from './terminal.js'

const terminal: Terminal = {
  print: (line) => void process.stdout.write(`${line}\n`),
  warn: (line) => void process.stderr.write(`${line}\n`),
  environment: browserEnvironment(),
  lookUp: (host) =>
    lookup(host).then(
      ({ address }) => address,
      () => undefined,
    ),
  signal: new AbortController().signal,
}

process.exitCode = await run(process.argv.slice(2), terminal)
