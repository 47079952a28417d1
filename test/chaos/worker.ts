import { workRounds } from '../seeded/workRounds.js'
import { type ChaosRound, type ChaosRoundTotals, playRound } from './playRound.js'

// Schedules call one key with other arguments on purpose; a developer's warnings would hide the table.
process.env['NODE_ENV'] = 'production'

await workRounds<ChaosRound, ChaosRoundTotals>(playRound)
