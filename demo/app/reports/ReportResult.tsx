import type { ToolCallState } from 'taskwire'
import { reportOutput } from '../../shared/report.js'
import { count, money, percent } from '../numberFormats.js'

/** What the tool returned, from its `structuredContent`. */
export function ReportResult({ call }: { call: ToolCallState }) {
  const { data: report } = reportOutput.safeParse(call.result?.structuredContent)
  if (report === undefined) return <p className="message">The result is not a report.</p>
  const most = Math.max(...report.rows.map(({ revenue }) => revenue))

  return (
    <details className="result" open>
      <summary>
        <span>
          {money.format(report.total)} <span className="muted">in {report.rows.length} regions</span>
        </span>
      </summary>
      <table>
        <caption className="visually-hidden">{report.title}</caption>
        <thead>
          <tr>
            <th scope="col">Region</th>
            <th scope="col">Orders</th>
            <th scope="col">Revenue</th>
            <th scope="col">Change</th>
          </tr>
        </thead>
        <tbody>
          {report.rows.map(({ region, orders, revenue, change }) => (
            <tr key={region}>
              <th scope="row">
                {region}
                <span className="share" style={{ width: `${(revenue / most) * 100}%` }} aria-hidden="true" />
              </th>
              <td>{count.format(orders)}</td>
              <td>{money.format(revenue)}</td>
              <td data-tone={change < 0 ? 'danger' : 'success'}>{percent.format(change)}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">Total</th>
            <td>{count.format(report.rows.reduce((sum, { orders }) => sum + orders, 0))}</td>
            <td>{money.format(report.total)}</td>
            <td />
          </tr>
        </tfoot>
      </table>
    </details>
  )
}
