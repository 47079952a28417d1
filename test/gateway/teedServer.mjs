// Runs a server that speaks over stdio, and writes what it receives to a file: node teedServer.mjs FILE COMMAND [ARGUMENTS]
import { spawn } from 'node:child_process'
import { appendFileSync } from 'node:fs'
import process, { argv, exit, stdin } from 'node:process'

const [, , file = '', command = '', ...args] = argv
const server = spawn(command, args, { stdio: ['pipe', 'inherit', 'inherit'] })
stdin.on('data', (chunk) => {
  appendFileSync(file, chunk)
  server.stdin.write(chunk)
})
stdin.on('end', () => server.stdin.end())
server.on('exit', (code) => exit(code ?? 1))
process.on('SIGTERM', () => server.kill())
