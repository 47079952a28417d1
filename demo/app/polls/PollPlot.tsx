import { useToolCalls } from 'taskwire/react'
import { hasEnded } from '../callStatus.js'
import { client } from '../client.js'
import { isPushed } from '../isPushed.js'
import { useNow } from '../useNow.js'
import { useWireRecorder } from '../wire/wireRecorder.js'
import { PollLaneRow } from './PollLaneRow.js'
import { PollTable } from './PollTable.js'
import { PushSwitch } from './PushSwitch.js'
import { pollLanes } from './pollLanes.js'
import { position, timeAxis } from './timeAxis.js'

const MOST_LANES = 6

/** When this page asked, and when it was asked not to: every request of every task, live. */
export function PollPlot() {
  const calls = useToolCalls({ filter: (call) => call.task !== undefined })
  const { messages, pageLoads } = useWireRecorder()
  const now = useNow(250, !calls.every(hasEnded))
  const nextPollAt = (callId: string) => client.getToolCall(callId)?.nextPollAt
  const lanes = pollLanes(calls, messages, nextPollAt).slice(0, MOST_LANES)
  if (lanes.length === 0) return <EmptyPolls />

  const axis = timeAxis(lanes, now)
  const shown = lanes.filter(({ endedAt = now }) => endedAt > axis.from)
  return (
    <section className="panel polls" aria-labelledby="polls">
      <header className="panel-header">
        <h2 id="polls">Polls</h2>
        <ul className="legend" aria-hidden="true">
          <li data-mark="created">task created</li>
          <li data-mark="poll">poll</li>
          {isPushed && <li data-mark="push">push</li>}
          <li data-mark="floor">wait the server asked for</li>
          <li data-mark="next">next poll</li>
          <li data-mark="reload">page reload</li>
        </ul>
      </header>
      <div className="lanes">
        {shown.map((lane) => (
          <PollLaneRow key={lane.callId} lane={lane} axis={axis} pageLoads={pageLoads} now={now} />
        ))}
        <svg className="axis" height="18" width="100%" aria-hidden="true">
          {axis.ticks.map((tick) => (
            <text key={tick} x={position(axis, tick)} y="13">
              {new Date(tick).toLocaleTimeString('en-GB')}
            </text>
          ))}
        </svg>
      </div>
      <PollTable lanes={shown} />
      <PushSwitch />
    </section>
  )
}

function EmptyPolls() {
  return (
    <section className="panel polls" aria-labelledby="polls">
      <h2 id="polls">Polls</h2>
      <p className="muted">Every poll of a running report will be drawn here, and the wait that the server asks for.</p>
      <PushSwitch />
    </section>
  )
}
