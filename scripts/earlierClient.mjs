// `taskwire/lite` of an earlier commit as one file, for pages of two versions on one origin (test/chaos):
//
//     node scripts/earlierClient.mjs COMMIT
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { argv } from 'node:process'
import { build } from 'vite'

const FOLDER = 'test/chaos/earlier'

const [, , commit] = argv
if (commit === undefined) {
  console.error('Usage: node scripts/earlierClient.mjs COMMIT')
  process.exit(2)
}
const git = (/** @type {string[]} */ ...args) => execFileSync('git', args, { maxBuffer: 2 ** 28 })
const hash = git('rev-parse', '--short=8', commit).toString().trim()

// Inside of the repository, so that packages are found.
const folder = mkdtempSync(resolve('node_modules/.earlier-'))
try {
  execFileSync('tar', ['-x', '-C', folder], { input: git('archive', hash, 'src', 'package.json') })
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
  await build({
    root: folder,
    configFile: false,
    logLevel: 'warn',
    define: { 'process.env.NODE_ENV': '"production"' },
    build: {
      target: 'es2022',
      outDir: 'built',
      lib: { entry: 'src/lite.ts', formats: ['es'], fileName: 'client' },
      rolldownOptions: { output: { minify: true, codeSplitting: false } },
    },
  })
  const code = readFileSync(join(folder, 'built/client.js'), 'utf8')
  mkdirSync(FOLDER, { recursive: true })
  const head = `// taskwire/lite of ${hash}, made by: node scripts/earlierClient.mjs ${hash}\n`
  writeFileSync(join(FOLDER, 'client.js'), `${head}// @ts-nocheck\n${code.trimEnd()}\n`)
  writeFileSync(join(FOLDER, 'client.d.ts'), `${head}export { createTaskClient } from 'taskwire/lite'\n`)
  console.log(`${FOLDER}/client.js: ${Math.round(code.length / 1000)} kB`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
