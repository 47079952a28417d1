import { useSyncExternalStore } from 'react'
import { isPushed } from '../switches.js'
import { allTallies, onTally } from './tally.js'

/** What all tabs together have sent: however many they are, each call goes out once and one of them polls. */
export function Proof() {
  const tallies = useSyncExternalStore(onTally, allTallies)
  const pollers = tallies.filter(({ polled }) => polled.length > 0).length
  const sum = (of: 'calls' | 'polls') => tallies.reduce((all, tally) => all + tally[of], 0)
  const role = isPushed ? 'listener' : 'poller'
  return (
    <div className="proof">
      <p className="proof-sentence">
        {plural(tallies.length, 'tab')}, {pollers === 0 ? `no ${role} needed now` : plural(pollers, role)}
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
