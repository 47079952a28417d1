import { Suspense } from 'react'
import { useSuspenseToolCall } from 'taskwire/react'
import { textOf } from './textOf'

export function SuspendedReport() {
  return (
    <Suspense fallback={<p role="status">The report is on its way…</p>}>
      <Total />
    </Suspense>
  )
}

/** Has its data when it renders. Errors go to the error boundary above. */
function Total() {
  const { data } = useSuspenseToolCall({
    name: 'generate_report',
    arguments: { quarter: 'Q2' },
  })
  return data.isError ? (
    <p role="alert">{textOf(data)}</p>
  ) : (
    <output>{textOf(data)}</output>
  )
}
