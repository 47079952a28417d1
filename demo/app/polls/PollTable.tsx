import { type PollLane, pollWaits } from './pollLanes.js'

/** The plot in numbers. */
export function PollTable({ lanes }: { lanes: readonly PollLane[] }) {
  return (
    <details className="poll-table">
      <summary>The same in numbers</summary>
      <table>
        <thead>
          <tr>
            <th scope="col">Report</th>
            <th scope="col">Polls</th>
            <th scope="col">Shortest wait</th>
            <th scope="col">Asked for</th>
          </tr>
        </thead>
        <tbody>
          {lanes.map((lane) => {
            const waits = pollWaits(lane)
            return (
              <tr key={lane.callId}>
                <th scope="row">{lane.title}</th>
                <td>{lane.polls.length}</td>
                <td>{duration(waits.map(({ waited }) => waited))}</td>
                <td>{duration(waits.map(({ asked }) => asked))}</td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </details>
  )
}

function duration(all: readonly number[]): string {
  return all.length === 0 ? '–' : `${(Math.min(...all) / 1000).toFixed(3)} s`
}
