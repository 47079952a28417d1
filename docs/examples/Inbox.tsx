import { useInputRequests } from 'taskwire/react'
import { ElicitationForm } from './forms/ElicitationForm'

export function Inbox() {
  const requests = useInputRequests().filter(
    ({ request }) => request.method === 'elicitation/create',
  )
  return (
    <section aria-label="Questions">
      {requests.map((pending) => (
        <ElicitationForm
          key={`${pending.callId} ${pending.inputKey}`}
          {...pending}
        />
      ))}
    </section>
  )
}
