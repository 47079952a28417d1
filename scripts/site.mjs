// The site: `npm run docs:dev`, `docs:build`, `docs:preview`, and `docs:check`: spelling, types, build, links, and its examples
// and axe in Chromium. What it is made with is installed in docs/ when it is
// missing there, so that nobody else has to install it (docs/decisions/140-site.md).
//
// DOCS_BASE=/folder/ docs:build makes a site for a folder of a host.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { argv, execPath, exit } from 'node:process'
import { fileURLToPath } from 'node:url'

const docs = fileURLToPath(new URL('../docs', import.meta.url))

/**
 * @param {string} command
 * @param {string[]} args
 */
function run(command, args) {
  const { status } = spawnSync(command, args, { cwd: docs, stdio: 'inherit' })
  if (status !== 0) exit(status ?? 1)
}

/** @param {string} name of a package of docs/package.json */
const manifestOf = (name) => join(docs, 'node_modules', name, 'package.json')

/** Installs what docs/package.json names, where a package is missing or another version. */
function install() {
  const { devDependencies } = JSON.parse(readFileSync(join(docs, 'package.json'), 'utf8'))
  const isThere = Object.entries(devDependencies).every(
    ([name, version]) =>
      existsSync(manifestOf(name)) && JSON.parse(readFileSync(manifestOf(name), 'utf8')).version === version,
  )
  if (isThere) return
  console.log('Installing what the site is made with, in docs/.')
  const npm = process.env['npm_execpath']
  const args = ['install', '--no-package-lock', '--no-audit', '--no-fund', '--ignore-scripts']
  if (npm === undefined) run('npm', args)
  else run(execPath, [npm, ...args])
}

/**
 * @param {string} name of a package of docs/package.json
 * @param {string[]} args
 */
function runBin(name, args) {
  const { bin } = JSON.parse(readFileSync(manifestOf(name), 'utf8'))
  run(execPath, [join(dirname(manifestOf(name)), typeof bin === 'string' ? bin : bin[name]), ...args])
}

/** What pages and `docs/public` have that is made of the sources. */
function make() {
  run(execPath, ['../scripts/site/api.mjs'])
  run(execPath, ['../scripts/site/live.mjs'])
  const vite = '../node_modules/vite/bin/vite.js'
  const demo = ['--config', '../demo/vite.config.ts', '--mode', 'site', '--logLevel', 'warn']
  run(execPath, [vite, 'build', ...demo, '--outDir', join(docs, 'public/demo'), '--emptyOutDir'])
}

function build() {
  make()
  runBin('vitepress', ['build', '.', ...argv.slice(3)])
}

const commands = {
  dev() {
    make()
    runBin('vitepress', ['dev', '.', ...argv.slice(3)])
  },
  build,
  check() {
    runBin('cspell', ['lint', '--config', 'cspell.json', '--no-progress', '--no-summary', '--show-suggestions'])
    runBin('vue-tsc', ['--noEmit', '--project', '.vitepress/tsconfig.json'])
    build()
    run(execPath, ['../scripts/site/checkSite.mjs'])
    const tests = 'test/site/vitest.config.ts'
    run(execPath, ['../node_modules/vitest/vitest.mjs', 'run', '--root', '..', '--config', tests])
  },
  preview: () => runBin('vitepress', ['preview', '.', ...argv.slice(3)]),
}

const command = Object.entries(commands).find(([name]) => name === argv[2])?.[1]
if (command === undefined) {
  console.error(`Usage: node scripts/site.mjs ${Object.keys(commands).join('|')}`)
  exit(2)
}
install()
command()
