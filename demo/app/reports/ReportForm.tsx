import { useState } from 'react'
import { outcomes, reportInput } from '../../shared/report.js'
import { useStartReport } from './useStartReport.js'

export function ReportForm() {
  const start = useStartReport()
  const [seconds, setSeconds] = useState(20)

  return (
    <section className="panel" aria-labelledby="new-report">
      <h2 id="new-report">New report</h2>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault()
          const fields = new FormData(event.currentTarget)
          start(reportInput.parse({ ...Object.fromEntries(fields), seconds }))
        }}
      >
        <label className="field">
          <span className="label">Title</span>
          <input type="text" name="title" defaultValue="Quarterly revenue" required pattern=".*\S.*" maxLength={80} />
        </label>
        <label className="field">
          <span className="label">
            Duration <span aria-hidden="true">{seconds} s</span>
          </span>
          <input
            type="range"
            name="seconds"
            min={6}
            max={60}
            value={seconds}
            aria-valuetext={`${seconds} seconds`}
            onChange={(event) => setSeconds(event.currentTarget.valueAsNumber)}
          />
        </label>
        <fieldset className="field">
          <legend className="label">Outcome</legend>
          <div className="segments">
            {outcomes.map((outcome) => (
              <label key={outcome}>
                <input type="radio" name="outcome" value={outcome} defaultChecked={outcome === 'success'} />
                <span>{outcome}</span>
              </label>
            ))}
          </div>
        </fieldset>
        <button type="submit" className="button primary">
          Start report
        </button>
      </form>
    </section>
  )
}
