import type { PollLane } from './pollLanes.js'
import { position, type TimeAxis } from './timeAxis.js'

interface PollLaneRowProps {
  lane: PollLane
  axis: TimeAxis
  pageLoads: readonly number[]
  now: number
}

const HEIGHT = 30
const MIDDLE = HEIGHT / 2

/** One task on the time axis. */
export function PollLaneRow({ lane, axis, pageLoads, now }: PollLaneRowProps) {
  const { title, startsAt, createdAt, polls, pushes, floors, nextPollAt, endedAt, status } = lane
  const x = (moment: number) => position(axis, moment)
  const width = (from: number, to: number) => position({ ...axis, to: axis.to - axis.from, from: 0 }, to - from)

  return (
    <>
      <span className="lane-title" title={title} aria-hidden="true">
        {title}
      </span>
      <svg className="lane" height={HEIGHT} width="100%" role="img" aria-label={`${title}: ${polls.length} polls`}>
        {axis.ticks.map((tick) => (
          <line key={tick} className="grid" x1={x(tick)} x2={x(tick)} y1="0" y2={HEIGHT} />
        ))}
        {floors.map(({ from, to }) => (
          <rect key={from} className="floor" x={x(from)} width={width(from, to)} y={MIDDLE - 6} height="12" />
        ))}
        <line className="life" x1={x(createdAt ?? startsAt)} x2={x(endedAt ?? now)} y1={MIDDLE} y2={MIDDLE} />
        {polls.map(({ id, sentAt, hasFailed }) => (
          <line
            key={id}
            className="poll"
            data-failed={hasFailed}
            x1={x(sentAt)}
            x2={x(sentAt)}
            y1={MIDDLE - 8}
            y2={MIDDLE + 8}
          />
        ))}
        {pushes.map(({ id, sentAt }) => (
          <circle key={id} className="push" cx={x(sentAt)} cy={MIDDLE} r="3" />
        ))}
        {pageLoads
          .filter((load) => load > startsAt && load < (endedAt ?? now))
          .map((load) => (
            <line key={load} className="reload" x1={x(load)} x2={x(load)} y1="0" y2={HEIGHT} />
          ))}
        {createdAt && <circle className="created" cx={x(createdAt)} cy={MIDDLE} r="4" />}
        {endedAt === undefined && nextPollAt !== undefined && (
          <line className="next" x1={x(nextPollAt)} x2={x(nextPollAt)} y1={MIDDLE - 8} y2={MIDDLE + 8} />
        )}
        {endedAt && <circle className="end" data-tone={status.tone} cx={x(endedAt)} cy={MIDDLE} r="5" />}
      </svg>
    </>
  )
}
