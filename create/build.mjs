// Makes dist/, which is what is published: `npm pack` and `npm publish` run it. The changelog and the licence are those of the
// repository.
import { spawnSync } from 'node:child_process'
import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { execPath, exit } from 'node:process'
import { assemble } from './assemble.mjs'

const here = import.meta.dirname
const tsc = join(here, '../node_modules/typescript/bin/tsc')

rmSync(join(here, 'dist'), { recursive: true, force: true })
const { status } = spawnSync(execPath, [tsc, '-p', join(here, 'tsconfig.json')], { stdio: 'inherit' })
if (status !== 0) exit(1)
assemble(join(here, 'dist/templates'))
for (const file of ['CHANGELOG.md', 'LICENSE']) copyFileSync(join(here, '..', file), join(here, file))
