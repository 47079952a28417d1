import { useToolCallMutation } from 'taskwire/react'

/** A tool that answers at once: the same hook, and no task. */
export function QuickCall() {
  const echo = useToolCallMutation({ name: 'echo_text' })
  const answer = echo.data?.content.find((block) => block.type === 'text')?.text

  return (
    <section className="panel" aria-labelledby="quick-call">
      <h2 id="quick-call">Without a task</h2>
      <p className="muted">
        The server decides. <code>echo_text</code> answers at once.
      </p>
      <form
        className="quick"
        onSubmit={(event) => {
          event.preventDefault()
          echo.mutate(Object.fromEntries(new FormData(event.currentTarget)))
        }}
      >
        <input type="text" name="text" aria-label="Text to echo" defaultValue="Hello" required maxLength={200} />
        <button type="submit" className="button" disabled={echo.isPending}>
          Send
        </button>
        <p className="quick-answer" aria-live="polite">
          {echo.error ? echo.error.message : answer && <q>{answer}</q>}
        </p>
      </form>
    </section>
  )
}
