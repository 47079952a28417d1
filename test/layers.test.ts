import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { layerRules, readLayers } from '../scripts/layers.mjs'

const biome = createRequire(import.meta.url).resolve('@biomejs/biome/bin/biome')

/** A file of a layer (`*` is its name), what stands in it, and how many complaints that is worth. */
const probes: [pattern: string, code: string, complaints: number][] = [
  ['src/protocol/*.ts', "import './b.js'", 0],
  ['src/protocol/*.ts', "import '../environment/b.js'", 1],
  ['src/protocol/*.ts', "import 'zustand'", 1],
  ['src/protocol/deep/*.ts', "import '../b.js'", 0],
  ['src/environment/*.ts', "import '../protocol/b.js'", 1],
  ['src/core/*.ts', "import '../protocol/b.js'\nimport '../environment/b.js'\nimport './storage/b.js'", 0],
  ['src/core/*.ts', "import '../client/b.js'", 1],
  ['src/core/*.ts', "import type { A } from '../react/b.js'\nexport type B = A", 1],
  ['src/core/*.ts', "export { a } from '../client/b.js'", 1],
  ['src/core/*.ts', "export const a = import('../client/b.js')", 1],
  ['src/core/*.ts', "import '@modelcontextprotocol/client'", 1],
  ['src/core/deep/*.ts', "import '../../client/b.js'", 1],
  ['src/connection/*.ts', "import '@modelcontextprotocol/client'\nimport '@modelcontextprotocol/sdk/types.js'", 0],
  ['src/connection/*.ts', "import '../client/b.js'", 1],
  ['src/client/*.ts', "import 'zustand/vanilla'\nimport '../connection/b.js'\nimport '../core/b.js'", 0],
  ['src/client/*.ts', "import 'react'", 1],
  ['src/client/*.ts', "import '../query/b.js'", 1],
  ['src/connection/lite/*.ts', "import '../errors.js'\nimport '../../core/b.js'", 0],
  ['src/connection/lite/*.ts', "import '@modelcontextprotocol/client'\nimport '../sdkV2/b.js'", 2],
  ['src/connection/lite/*.ts', "import 'eventsource-parser'", 1],
  ['src/lite/*.ts', "import '../client/b.js'\nimport '../connection/lite/b.js'", 0],
  ['src/lite/*.ts', "import '@modelcontextprotocol/client'\nimport '../client/sdkSetup.js'", 2],
  ['src/client/*.ts', "import '../lite/b.js'", 1],
  ['src/forms/*.ts', "import '../client/b.js'\nimport '../protocol/b.js'", 0],
  ['src/forms/*.ts', "import '../react/b.js'\nimport '../bindings/b.js'\nimport 'zustand'", 3],
  ['src/client/*.ts', "import '../forms/b.js'", 1],
  ['src/query/*.ts', "import '@tanstack/react-query'\nimport '../client/b.js'", 0],
  ['src/query/*.ts', "import 'react'", 1],
  ['src/react/*.tsx', "import 'react'\nimport '@tanstack/react-query'\nimport 'zustand'", 0],
  ['src/react/*.tsx', "import '../server/b.js'", 1],
  ['src/react/*.tsx', "import 'react-dom'", 1],
  ['src/react/*.tsx', "import '../bindings/b.js'\nimport '../vue/b.js'", 1],
  ['src/bindings/*.ts', "import '../query/b.js'\nimport '../client/b.js'\nimport '../forms/b.js'", 0],
  ['src/bindings/*.ts', "import '../react/b.js'\nimport '../svelte/b.js'\nimport 'react'", 3],
  ['src/query/*.ts', "import '../bindings/b.js'\nimport '../solid/b.js'", 2],
  ['src/solid/*.ts', "import 'solid-js/web'\nimport '@tanstack/solid-query'\nimport '../bindings/b.js'", 0],
  ['src/svelte/*.ts', "import 'svelte/reactivity'\nimport '@tanstack/svelte-query'\nimport '../bindings/b.js'", 0],
  ['src/vue/*.ts', "import 'vue'\nimport '@tanstack/vue-query'\nimport '../bindings/b.js'\nimport '../forms/b.js'", 0],
  ['src/vue/*.ts', "import '../react/b.js'\nimport 'solid-js'\nexport const a = window", 3],
  ['src/server/*.ts', "import '@modelcontextprotocol/server'\nimport '../protocol/b.js'", 0],
  ['src/server/*.ts', "import '../client/b.js'", 1],
  ['src/server/*.ts', "import 'node:http'", 1],
  ['src/server/*.ts', "import './tools/b.js'\nimport './push/b.js'", 0],
  ['src/server/base/*.ts', "import '../tasks/b.js'", 1],
  ['src/server/tasks/*.ts', "import '../base/b.js'\nimport '../../protocol/b.js'", 0],
  ['src/server/tasks/*.ts', "import '../http/b.js'\nimport '../serverConfig.js'\nimport '../../client/b.js'", 3],
  ['src/server/http/*.ts', "import '../tasks/b.js'\nimport '@modelcontextprotocol/server'", 0],
  ['src/server/http/*.ts', "import '../push/b.js'", 1],
  ['src/server/push/*.ts', "import '../tools/b.js'", 1],
  ['src/server/tools/*.ts', "import type { ServerParts } from '../serverParts.js'\nexport type A = ServerParts", 0],
  ['src/server/tools/*.ts', "import '../push/b.js'\nimport '../createTaskServer.js'", 2],
  ['src/server/redis/*.ts', "import '../tasks/b.js'", 0],
  ['src/server/redis/*.ts', "import '../http/b.js'\nimport 'ioredis'", 2],
  ['src/testing/*.ts', "import 'msw'\nimport '../server/b.js'\nimport '../client/b.js'", 0],
  ['src/testing/*.ts', "import '../react/b.js'", 1],
  ['src/client/*.ts', "import '../protocol/index.js'", 1],
  ['src/devtools/*.ts', "import '../client/b.js'\nimport '../core/b.js'\nexport const a = document", 0],
  ['src/devtools/*.ts', "import '../react/b.js'\nimport 'react'", 2],
  ['src/client/*.ts', "import '../devtools/b.js'", 1],
  ['src/diagnose/*.ts', "import '../protocol/b.js'\nimport '../environment/b.js'", 0],
  ['src/diagnose/*.ts', "import '../connection/b.js'", 1],
  ['src/diagnose/*.ts', 'export const a = setTimeout', 1],
  ['src/cli/*.ts', "import 'node:util'\nimport '@modelcontextprotocol/client'\nimport '../diagnose/b.js'", 0],
  ['src/cli/*.ts', "import '../connection/b.js'", 1],
  ['src/client/*.ts', "import '../diagnose/b.js'", 1],
  ['src/otel/*.ts', "import '@opentelemetry/api'\nimport '../client/b.js'\nimport '../environment/b.js'", 0],
  ['src/otel/*.ts', "import type { A } from '../server/base/taskServerInstrument.js'\nexport type B = A", 0],
  ['src/otel/*.ts', "import '../server/createTaskServer.js'\nimport '../server/base/clock.js'", 2],
  ['src/otel/*.ts', "import '@opentelemetry/sdk-trace-base'", 1],
  ['src/ai/*.ts', "import '../client/b.js'\nimport '../core/time/abort.js'\nimport '@standard-schema/spec'", 0],
  ['src/ai/*.ts', "import '../core/b.js'\nimport 'ai'", 2],
  ['src/client/*.ts', "import '../ai/b.js'", 1],
  ['src/notify/*.ts', "import '../client/b.js'\nimport '../environment/b.js'", 0],
  ['src/notify/*.ts', 'export const a = document', 1],
  ['src/gateway/*.ts', "import '../server/tools/b.js'\nimport '../protocol/b.js'", 0],
  ['src/gateway/*.ts', "import '../query/b.js'", 1],
  ['src/jobs/*.ts', "import '../connection/jobTools/b.js'\nimport '../protocol/b.js'", 0],
  ['src/jobs/*.ts', "import '../client/b.js'", 1],
  ['src/client/*.ts', "import '../otel/b.js'\nimport '../notify/b.js'", 2],
  ['src/*.ts', "export { a } from './client/a.js'", 0],
  ['src/*.ts', "export { a } from './react/a.js'", 1],
  ['src/core/*.test.ts', "import '../testing/b.js'\nimport 'vitest'", 0],
  ['src/core/*.ts', 'export const a = [Date.parse, new Date(0), Math.max]', 0],
  ['src/core/*.ts', 'export const a = [Date.now, new Date(), Math.random(), AbortSignal.timeout(1)]', 4],
  ['src/client/*.ts', 'export const a = [setTimeout, localStorage, document, globalThis.crypto]', 4],
  ['src/protocol/*.ts', 'export const a = navigator', 1],
  ['src/react/*.tsx', 'export const a = window', 1],
  ['src/environment/*.ts', 'export const a = [Date.now(), setTimeout, globalThis.document]', 0],
]

function foldersOf(path: string): string[] {
  const entries = readdirSync(path, { withFileTypes: true })
  return entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])).sort()
}

interface Report {
  diagnostics: { category: string; location: { path: string } }[]
}

/** Lints all probes at once, in a folder of their own, and counts the complaints about imports and globals in each. */
function countComplaints(): number[] {
  const folder = mkdtempSync(join(tmpdir(), 'taskwire-layers-'))
  try {
    for (const file of ['biome.json', 'biome.layers.json', 'biome.ambient.grit']) copyFileSync(file, join(folder, file))
    probes.forEach(([pattern, code], index) => {
      const path = join(folder, pattern.replace('*', `probe${index}`))
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, `${code}\n`)
    })
    const options = ['--vcs-enabled=false', '--reporter=json', '--max-diagnostics=none']
    const { stdout } = spawnSync(process.execPath, [biome, 'lint', ...options], { cwd: folder, encoding: 'utf8' })
    const { diagnostics } = JSON.parse(stdout) as Report
    const complaints = diagnostics.filter(({ category }) => /^plugin|noRestricted(Imports|Globals)$/.test(category))
    return probes.map((_, index) => complaints.filter((one) => one.location.path.includes(`probe${index}.`)).length)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

test('the linter keeps the layers apart, and time and page out of them', () => {
  const counts = countComplaints()
  expect(probes.map(([pattern, code], index) => [pattern, code, counts[index]])).toEqual(probes)
})

test('the rules of the linter are made of the table in CONTRIBUTING: npm run layers', () => {
  expect(readFileSync('biome.layers.json', 'utf8')).toBe(
    layerRules(readLayers(readFileSync('CONTRIBUTING.md', 'utf8'))),
  )
})

test('the table names every folder of src once', () => {
  const folders = readLayers(readFileSync('CONTRIBUTING.md', 'utf8')).map(({ folder }) => folder)
  expect(folders.filter((folder) => !folder.includes('/') && folder !== '*.ts').sort()).toEqual(foldersOf('src'))
})

test('refuses a table that lets a folder import one that stands above it or nowhere', () => {
  const row = '| `src/a` | … | b and below; no package |  |'
  expect(() => readLayers(row)).toThrow('src/a may import "b and below", and there is no such row below it')
})
