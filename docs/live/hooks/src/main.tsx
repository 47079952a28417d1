import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { createTaskClient } from 'taskwire'
import { TaskClientProvider } from 'taskwire/react'
import { CallList } from '../../../examples/hooks/CallList'
import { Connection } from '../../../examples/hooks/Connection'
import { OneCall } from '../../../examples/hooks/OneCall'
import { Questions } from '../../../examples/hooks/Questions'
import { Report } from '../../../examples/hooks/Report'
import { ReportButton } from '../../../examples/hooks/ReportButton'
import { ReportGroup } from '../../../examples/hooks/ReportGroup'
import { SuspendedReport } from '../../../examples/hooks/SuspendedReport'
import './index.css'

/** One frame shows one of them: `index.html?part=Report`. */
const parts = {
  CallList,
  Connection,
  OneCall,
  Questions,
  Report,
  ReportButton,
  ReportGroup,
  SuspendedReport,
}

const name = new URLSearchParams(location.search).get('part')
const [, Part] = Object.entries(parts).find(([key]) => key === name) ?? []
const client = createTaskClient({
  url: '/mcp',
  capabilities: { elicitation: { form: {} } },
})
const root = document.getElementById('root')
if (root === null || Part === undefined)
  throw new Error(`There is no example ${name}.`)

createRoot(root).render(
  <StrictMode>
    <TaskClientProvider client={client}>
      <main>
        <Part />
      </main>
    </TaskClientProvider>
  </StrictMode>,
)
