import { readFileSync } from 'node:fs'
import { inflateRawSync } from 'node:zlib'
import { readRecording } from '../../src/tools/devtools/recording/recording.js'
import { readOptions } from '../support/readOptions.js'
import { playRecording } from './playRecording.js'

// Plays a recording of `recordReplay()`, which is also the "Export" of the devtools, against the client of this commit:
// `npm run replay -- FILE`, or the link to the page docs/replay.md in its place. Prints what the calls showed, and where they
// show something else now, which it exits with 1 for.

const { values, positionals, refuse } = readOptions(
  'replay',
  { '--lite': 'with the client of taskwire/lite', '--steps': 'prints each step of what happens now' },
  'FILE or LINK',
)
const [from = refuse('Pass the file of a recording, or a link to one.')] = positionals
const recording = readRecording(textOf(from))
if (typeof recording === 'string') {
  console.error(`${recording} A schedule of chaos is played again by the command that was printed with its link.`)
  process.exit(2)
}

process.env['NODE_ENV'] = 'production'
const { recording: again, shown } = await playRecording(recording, values.lite ? 'lite' : 'full')
if (values.steps) {
  for (const { at, in: place, text: what } of again.steps) console.log(`${String(at).padStart(8)} ${place} ${what}`)
}
let differences = 0
for (const [index, then] of shown.recorded.entries()) {
  const now = shown.again[index] ?? []
  const parting = Array.from({ length: Math.max(then.length, now.length) }, (_, at) => at).find(
    (at) => then[at] !== now[at],
  )
  console.log(`call ${index + 1}: ${then.length} states${parting === undefined ? ', the same again' : ''}`)
  if (parting === undefined) continue
  differences++
  console.log(
    `  state ${parting + 1} then: ${then[parting] ?? 'none'}\n  state ${parting + 1} now:  ${now[parting] ?? 'none'}`,
  )
}
process.exit(differences > 0 ? 1 : 0)

function textOf(from: string): string {
  const [, data] = /#1\.([\w-]+)$/.exec(from) ?? []
  try {
    return data === undefined ? readFileSync(from, 'utf8') : inflateRawSync(Buffer.from(data, 'base64url')).toString()
  } catch (error) {
    console.error(
      data === undefined ? `Failed to read the file: ${String(error)}` : 'This link is damaged: copy all of it.',
    )
    process.exit(2)
  }
}
