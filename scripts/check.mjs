// Everything that must hold before a change goes in: `npm run check`. Stops at the first step that fails.
// `--without test` leaves a step out, for a machine that has just run it.
import { spawnSync } from 'node:child_process'
import { argv, exit } from 'node:process'

/** Scripts of package.json, the fast ones first. */
const steps = [
  'format:check',
  'lint',
  'typecheck',
  'docs',
  'lock:check',
  'unused',
  'build',
  'demo:build',
  'package',
  'size',
  'test',
]

const without = argv.flatMap((word, index) => (argv[index - 1] === '--without' ? [word] : []))
const unknown = without.find((step) => !steps.includes(step))
if (unknown !== undefined) {
  console.error(`There is no step ${unknown}. The steps are: ${steps.join(', ')}.`)
  exit(2)
}

for (const step of steps.filter((name) => !without.includes(name))) {
  const start = Date.now()
  console.log(`\n# ${step}`)
  const { status } = spawnSync(`npm run --silent ${step}`, { stdio: 'inherit', shell: true })
  if (status !== 0) {
    console.error(`\nFailed: ${step}. To run it alone: npm run ${step}`)
    exit(1)
  }
  console.log(`# ${step}: ok, ${((Date.now() - start) / 1000).toFixed(1)} s`)
}
