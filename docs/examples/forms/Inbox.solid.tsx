/** @jsxImportSource solid-js */
import { For } from 'solid-js'
import { useInputRequests } from 'taskwire/solid'
import { ElicitationForm } from './ElicitationForm.solid'

/** `<For>` keeps a form with its question. */
export function Inbox() {
  const requests = useInputRequests()
  return (
    <section aria-label="Questions">
      <For each={requests()}>
        {(pending) => <ElicitationForm pending={pending} />}
      </For>
    </section>
  )
}
