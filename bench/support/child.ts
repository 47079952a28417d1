// One measurement in a process of its own: `node --expose-gc child.js NAME INPUT`. Prints what it has found as JSON.

import { samplePages } from '../bridge.js'
import { samplePolls } from '../polls.js'
import { sampleUsers } from '../pool.js'
import { samplePage } from '../records.js'
import { sampleStarts } from '../starts.js'
import { cpu } from './cpu.js'
import { GAVE_UP, GIVE_UP_FILLING_MS, GIVE_UP_MS } from './limits.js'
import { sampleLives } from './sampleLives.js'
import { sampleStreams, sampleTasks } from './sampleServer.js'

const samples = {
  lives: sampleLives,
  page: samplePage,
  pages: samplePages,
  polls: samplePolls,
  starts: sampleStarts,
  tasks: sampleTasks,
  streams: sampleStreams,
  users: sampleUsers,
}

export type Samples = typeof samples

// By the time that it computes, not by the clock, which also runs while others do.
const [name = '', input = ''] = process.argv.slice(2)
const giveUpMs = name === 'tasks' ? GIVE_UP_FILLING_MS : GIVE_UP_MS
setInterval(() => cpu() > giveUpMs && process.exit(GAVE_UP), 500)

const sample: (input: never) => Promise<unknown> = samples[name as keyof Samples]
const found = await sample(JSON.parse(input) as never)
process.stdout.write(JSON.stringify(found), () => process.exit(0))
