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
  ['src/core/protocol/*.ts', "import './b.js'", 0],
  ['src/core/protocol/*.ts', "import '../environment/b.js'", 1],
  ['src/core/protocol/*.ts', "import 'zustand'", 1],
  ['src/core/protocol/deep/*.ts', "import '../b.js'", 0],
  ['src/core/environment/*.ts', "import '../protocol/b.js'", 1],
  ['src/core/record/*.ts', "import '../protocol/b.js'\nimport '../environment/b.js'\nimport '../time/b.js'", 0],
  ['src/core/record/*.ts', "import '../storage/b.js'", 1],
  ['src/core/tabs/*.ts', "import '../record/b.js'", 0],
  ['src/core/tabs/*.ts', "import '../run/b.js'", 1],
  ['src/core/run/*.ts', "import '../tabs/b.js'\nimport '../storage/b.js'\nimport '../record/b.js'", 0],
  ['src/core/run/*.ts', "import '../client/b.js'", 1],
  ['src/core/run/*.ts', "import '../wire/b.js'", 1],
  ['src/core/run/*.ts', "import type { A } from '../../bindings/react/b.js'\nexport type B = A", 1],
  ['src/core/run/*.ts', "export { a } from '../client/b.js'", 1],
  ['src/core/run/*.ts', "export const a = import('../client/b.js')", 1],
  ['src/core/run/*.ts', "import '@modelcontextprotocol/client'", 1],
  ['src/core/run/deep/*.ts', "import '../../client/b.js'", 1],
  ['src/core/wire/*.ts', "import '@modelcontextprotocol/client'\nimport '../../sdk/b.js'", 2],
  ['src/core/wire/*.ts', "import '../client/b.js'", 1],
  ['src/core/wire/http/*.ts', "import '../errors.js'\nimport '../../protocol/b.js'", 0],
  ['src/core/wire/http/*.ts', "import '@modelcontextprotocol/client'\nimport '../../../sdk/v2/b.js'", 2],
  ['src/core/wire/http/*.ts', "import 'eventsource-parser'", 1],
  ['src/core/wire/jobs/*.ts', "import '../connection.js'\nimport '../../protocol/b.js'", 0],
  ['src/core/wire/jobs/*.ts', "import '../../client/b.js'", 1],
  ['src/core/client/*.ts', "import 'zustand/vanilla'\nimport '../wire/b.js'\nimport '../run/b.js'", 0],
  ['src/core/client/*.ts', "import 'react'", 1],
  ['src/core/client/*.ts', "import '../lite/b.js'", 1],
  [
    'src/core/client/*.ts',
    "import '../../sdk/b.js'\nimport '../../bindings/forms/b.js'\nimport '../../tools/ai/b.js'",
    3,
  ],
  ['src/core/lite/*.ts', "import '../client/b.js'\nimport '../wire/http/b.js'", 0],
  ['src/core/lite/*.ts', "import '@modelcontextprotocol/client'\nimport '../../sdk/sdkSetup.js'", 2],
  [
    'src/sdk/v2/*.ts',
    "import '@modelcontextprotocol/client'\nimport '../../core/client/b.js'\nimport '../legacy/b.js'",
    0,
  ],
  ['src/sdk/v2/*.ts', "import '../../core/lite/b.js'\nimport '../../server/b.js'", 2],
  ['src/bindings/forms/*.ts', "import '../../core/client/b.js'\nimport '../../core/protocol/b.js'", 0],
  ['src/bindings/forms/*.ts', "import '../react/b.js'\nimport '../shared/b.js'\nimport 'zustand'", 3],
  ['src/bindings/query/*.ts', "import '@tanstack/react-query'\nimport '../../core/client/b.js'", 0],
  ['src/bindings/query/*.ts', "import 'react'", 1],
  ['src/bindings/query/*.ts', "import '../shared/b.js'\nimport '../solid/b.js'", 2],
  ['src/bindings/react/*.tsx', "import 'react'\nimport '@tanstack/react-query'\nimport 'zustand'", 0],
  ['src/bindings/react/*.tsx', "import '../../server/b.js'", 1],
  ['src/bindings/react/*.tsx', "import '../../sdk/b.js'", 1],
  ['src/bindings/react/*.tsx', "import 'react-dom'", 1],
  ['src/bindings/react/*.tsx', "import '../shared/b.js'\nimport '../vue/b.js'", 1],
  ['src/bindings/shared/*.ts', "import '../query/b.js'\nimport '../../core/client/b.js'\nimport '../forms/b.js'", 0],
  ['src/bindings/shared/*.ts', "import '../react/b.js'\nimport '../svelte/b.js'\nimport 'react'", 3],
  ['src/bindings/solid/*.ts', "import 'solid-js/web'\nimport '@tanstack/solid-query'\nimport '../shared/b.js'", 0],
  [
    'src/bindings/svelte/*.ts',
    "import 'svelte/reactivity'\nimport '@tanstack/svelte-query'\nimport '../shared/b.js'",
    0,
  ],
  [
    'src/bindings/vue/*.ts',
    "import 'vue'\nimport '@tanstack/vue-query'\nimport '../shared/b.js'\nimport '../forms/b.js'",
    0,
  ],
  ['src/bindings/vue/*.ts', "import '../react/b.js'\nimport 'solid-js'\nexport const a = window", 3],
  ['src/bridge/page/*.ts', "import '../wire/b.js'\nimport '../../core/run/b.js'\nimport '../../core/wire/b.js'", 0],
  ['src/bridge/page/*.ts', "import '../server/b.js'\nimport '../../sdk/b.js'", 2],
  [
    'src/bridge/server/*.ts',
    "import '../wire/b.js'\nimport '../../server/base/b.js'\nimport '../../server/http/sse.js'",
    0,
  ],
  ['src/bridge/server/*.ts', "import '../page/b.js'\nimport '../../server/http/b.js'", 2],
  ['src/bridge/backend/*.ts', "import 'node:fs'\nimport '../../sdk/b.js'\nimport '../../server/base/b.js'", 0],
  ['src/bridge/backend/*.ts', "import '../server/b.js'\nimport '../../server/tasks/b.js'", 2],
  ['src/bridge/delivery/*.ts', "import '../../core/client/b.js'\nimport '../../server/base/b.js'", 0],
  ['src/bridge/delivery/*.ts', "import '../backend/b.js'\nimport 'web-push'\nimport 'standardwebhooks'", 3],
  ['src/bridge/push/*.ts', "import 'web-push'\nimport '../delivery/b.js'", 0],
  ['src/bridge/push/*.ts', "import '../webhooks/b.js'\nimport 'standardwebhooks'", 2],
  ['src/bridge/webhooks/*.ts', "import 'standardwebhooks'\nimport '../delivery/b.js'", 0],
  ['src/bridge/webhooks/*.ts', "import '../push/b.js'\nimport 'web-push'", 2],
  ['src/server/*.ts', "import '@modelcontextprotocol/server'\nimport '../core/protocol/b.js'", 0],
  ['src/server/*.ts', "import '../core/client/b.js'", 1],
  ['src/server/*.ts', "import 'node:http'", 1],
  ['src/server/*.ts', "import './tools/b.js'\nimport './push/b.js'", 0],
  ['src/server/base/*.ts', "import '../tasks/b.js'", 1],
  ['src/server/tasks/*.ts', "import '../base/b.js'\nimport '../../core/protocol/b.js'", 0],
  ['src/server/tasks/*.ts', "import '../http/b.js'\nimport '../serverConfig.js'\nimport '../../core/client/b.js'", 3],
  ['src/server/http/*.ts', "import '../tasks/b.js'\nimport '@modelcontextprotocol/server'", 0],
  ['src/server/http/*.ts', "import '../push/b.js'", 1],
  ['src/server/push/*.ts', "import '../tools/b.js'", 1],
  ['src/server/tools/*.ts', "import type { ServerParts } from '../serverParts.js'\nexport type A = ServerParts", 0],
  ['src/server/tools/*.ts', "import '../push/b.js'\nimport '../createTaskServer.js'", 2],
  ['src/server/redis/*.ts', "import '../tasks/b.js'", 0],
  ['src/server/redis/*.ts', "import '../http/b.js'\nimport 'ioredis'", 2],
  ['src/tools/testing/*.ts', "import 'msw'\nimport '../../server/b.js'\nimport '../../core/client/b.js'", 0],
  ['src/tools/testing/*.ts', "import '../../bindings/react/b.js'", 1],
  [
    'src/tools/devtools/*.ts',
    "import '../../core/client/b.js'\nimport '../../core/run/b.js'\nexport const a = document",
    0,
  ],
  ['src/tools/devtools/*.ts', "import '../../bindings/react/b.js'\nimport 'react'", 2],
  ['src/tools/diagnose/*.ts', "import '../../core/protocol/b.js'\nimport '../../core/environment/b.js'", 0],
  ['src/tools/diagnose/*.ts', "import '../../core/wire/b.js'", 1],
  ['src/tools/diagnose/*.ts', 'export const a = setTimeout', 1],
  ['src/tools/cli/*.ts', "import 'node:util'\nimport '@modelcontextprotocol/client'\nimport '../diagnose/b.js'", 0],
  ['src/tools/cli/*.ts', "import '../../core/wire/b.js'\nimport '../ai/b.js'", 2],
  ['src/tools/otel/*.ts', "import '@opentelemetry/api'\nimport '../../core/client/b.js'", 0],
  ['src/tools/otel/*.ts', "import type { A } from '../../server/base/taskServerInstrument.js'\nexport type B = A", 0],
  ['src/tools/otel/*.ts', "import '../../server/createTaskServer.js'\nimport '../../server/base/clock.js'", 2],
  ['src/tools/otel/*.ts', "import '@opentelemetry/sdk-trace-base'", 1],
  [
    'src/tools/ai/*.ts',
    "import '../../core/client/b.js'\nimport '../../core/time/abort.js'\nimport '@standard-schema/spec'",
    0,
  ],
  ['src/tools/ai/*.ts', "import '../../core/run/b.js'\nimport 'ai'", 2],
  ['src/tools/alarms/*.ts', "import '../../core/client/b.js'", 0],
  ['src/tools/alarms/*.ts', "import 'node:fs'\nexport const a = setTimeout", 2],
  ['src/tools/notify/*.ts', "import '../../core/client/b.js'\nimport '../../core/environment/b.js'", 0],
  ['src/tools/notify/*.ts', 'export const a = document', 1],
  ['src/tools/gateway/*.ts', "import '../../server/tools/b.js'\nimport '../../core/protocol/b.js'", 0],
  ['src/tools/gateway/*.ts', "import '../../bindings/query/b.js'", 1],
  ['src/*.ts', "export { a } from './core/client/a.js'\nexport { b } from './bindings/react/a.js'", 0],
  ['src/*.ts', "export { a } from 'react'", 1],
  ['src/core/run/*.test.ts', "import '../../tools/testing/b.js'\nimport 'vitest'", 0],
  ['src/core/run/*.ts', 'export const a = [Date.parse, new Date(0), Math.max]', 0],
  ['src/core/run/*.ts', 'export const a = [Date.now, new Date(), Math.random(), AbortSignal.timeout(1)]', 4],
  ['src/core/client/*.ts', 'export const a = [setTimeout, localStorage, document, globalThis.crypto]', 4],
  ['src/core/protocol/*.ts', 'export const a = navigator', 1],
  ['src/bindings/react/*.tsx', 'export const a = window', 1],
  ['src/core/environment/*.ts', 'export const a = [Date.now(), setTimeout, globalThis.document]', 0],
]

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

test('the rules of the linter are made of the table in docs/project/layers.md: npm run layers', () => {
  expect(readFileSync('biome.layers.json', 'utf8')).toBe(
    layerRules(readLayers(readFileSync('docs/project/layers.md', 'utf8'))),
  )
})

test('every file of src is in a folder of the table', () => {
  const folders = readLayers(readFileSync('docs/project/layers.md', 'utf8')).map(({ folder }) => folder)
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).map((file) => file.replaceAll('\\', '/'))
  const outside = files.filter(
    (file) => /\/.*\.tsx?$/.test(file) && !folders.some((folder) => file.startsWith(`${folder}/`)),
  )
  expect(outside).toEqual([])
})

test('nothing in a room imports an entry, which is for users of the package', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) =>
    /(?<!\.test)\.tsx?$/.test(file),
  )
  const importsOf = (file: string) =>
    [...readFileSync(join('src', file), 'utf8').matchAll(/(?:from|import\() ?'(\.[^']+)'/g)].map(([, path = '']) =>
      join(dirname(file), path),
    )
  const ofEntries = files.filter((file) => importsOf(file).some((path) => dirname(path) === '.'))
  expect(ofEntries).toEqual([])
})

test('refuses a table that lets a folder import one that stands above it or nowhere', () => {
  const row = '| `src/a` | … | b and below; no package |  |'
  expect(() => readLayers(row)).toThrow('src/a may import "b and below", and there is no such row below it')
})
