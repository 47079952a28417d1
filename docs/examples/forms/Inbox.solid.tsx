/** @jsxImportSource solid-js */
import { Index } from 'solid-js'
import { useInputRequests } from 'taskwire/solid'
import { ElicitationForm } from './ElicitationForm.solid'

/** `<Index>` keeps a form while its call changes. */
export function Inbox() {
  const requests = useInputRequests()
  return (
    <section aria-label="Questions">
      <Index each={requests()}>
        {(pending) => <ElicitationForm pending={pending()} />}
      </Index>
    </section>
  )
}
