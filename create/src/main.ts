#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { create } from './create.js'
import { openQuestions } from './questions.js'
import { exitOnSignals } from './signals.js'

const { stdin, stdout } = process
const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }

exitOnSignals(process)

process.exitCode = await create(process.argv.slice(2), {
  cwd: process.cwd(),
  userAgent: process.env['npm_config_user_agent'],
  swallowedTemplate: process.env['npm_config_template'] ?? process.env['npm_config_t'],
  templates: fileURLToPath(new URL('./templates', import.meta.url)),
  version,
  nodeVersion: process.version,
  openQuestions: stdin.isTTY && stdout.isTTY ? () => openQuestions(stdin, stdout, true) : undefined,
  print: (line) => void stdout.write(`${line}\n`),
  warn: (line) => void process.stderr.write(`${line}\n`),
})
