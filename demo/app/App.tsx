import { Announcer } from './Announcer.js'
import { ClientSwitch } from './ClientSwitch.js'
import { ConnectionBadge } from './ConnectionBadge.js'
import { ConnectionProblem } from './ConnectionProblem.js'
import { hasLegacy, isLegacy } from './isLegacy.js'
import { PushSwitch } from './PushSwitch.js'
import { QuickCall } from './QuickCall.js'
import { Inbox } from './questions/Inbox.js'
import { ReportForm } from './reports/ReportForm.js'
import { ReportList } from './reports/ReportList.js'
import { SameKeyTwice } from './SameKeyTwice.js'
import { ServerSwitch } from './ServerSwitch.js'

export function App() {
  return (
    <>
      <header className="page-header">
        <div className="page-width">
          <h1 className="wordmark">
            <img src={`${import.meta.env.BASE_URL}favicon.svg`} alt="" width="20" height="20" />
            Taskwire <span className="muted">demo</span>
          </h1>
          <ConnectionBadge />
          <div className="facts">
            {!isLegacy && <PushSwitch />}
            {hasLegacy && <ServerSwitch />}
            <ClientSwitch />
          </div>
        </div>
      </header>
      <main className="page-width columns">
        <ReportForm />
        <div className="content">
          <ConnectionProblem />
          {!isLegacy && <Inbox />}
          <ReportList />
        </div>
        <div className="extras">
          <SameKeyTwice />
          <QuickCall />
        </div>
      </main>
      <Announcer />
    </>
  )
}
