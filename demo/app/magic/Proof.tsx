import { useSyncExternalStore } from 'react'
import { TaskExpiredError, ToolCallInterruptedError } from 'taskwire'
import { useToolCalls } from 'taskwire/react'
import { hasEnded } from '../calls/callStatus.js'
import { isLegacy, isPushed } from '../switches.js'
import { allTallies, onTally } from './tally.js'

/** Errors of calls whose outcome the page will never know. */
const LOSSES = [TaskExpiredError, ToolCallInterruptedError]

/** What all tabs together have sent: however many they are, one of them polls, and the server runs each call once. */
export function Proof() {
  const tallies = useSyncExternalStore(onTally, allTallies)
  const calls = useToolCalls()
  const isAtWork = calls.some((call) => !hasEnded(call))
  const lost = calls.filter(({ error }) => LOSSES.some((loss) => error instanceof loss)).length
  const sum = (of: 'calls' | 'polls' | 'runs') => tallies.reduce((all, tally) => all + tally[of], 0)
  // A shot that is rendered again is the same call, and another run. Of earlier visits and closed tabs there are calls alone.
  const runs = Math.max(calls.length, sum('runs'))
  const pollers = tallies.filter(({ polled }) => polled.length > 0).length
  // A server of 2025-11-25 only hints that a poll is worthwhile.
  const role = isPushed && !isLegacy ? 'listener' : 'poller'
  // Before the first poll, and where one tab takes over from another.
  const none = isAtWork ? `no ${role} yet` : 'no polls now'
  return (
    <div className="proof">
      <p className="proof-sum">
        {plural(runs, 'run')}, {lost} lost
      </p>
      <p className="proof-sentence">
        {plural(tallies.length, 'tab')}, {pollers > 0 ? plural(pollers, role) : none}
      </p>
      <dl>
        <div>
          <dt>
            <code>tools/call</code>
          </dt>
          <dd>{sum('calls')}</dd>
        </div>
        <div>
          <dt>
            <code>tasks/get</code>
          </dt>
          <dd>{sum('polls')}</dd>
        </div>
      </dl>
    </div>
  )
}

function plural(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`
}
