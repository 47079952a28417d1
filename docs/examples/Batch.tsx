import { useTaskClient, useToolCallGroup } from 'taskwire/react'

/** Fifty shots as one batch: one bar and one button, also after a reload. */
export function Batch({ film }: { film: string }) {
  const client = useTaskClient()
  const { calls, running, failed, progress, cancelAll } = useToolCallGroup({
    filter: ({ meta }) => meta?.['batch'] === film,
  })

  function render() {
    for (let shot = 1; shot <= 50; shot++) {
      const meta = { batch: film, title: `Shot ${shot}` }
      client.startToolCall(
        { name: 'render_shot', arguments: { film, shot } },
        { key: `${film}-${shot}`, meta },
      )
    }
  }

  if (calls.length === 0) {
    return (
      <button type="button" onClick={render}>
        Render {film}
      </button>
    )
  }
  return (
    <div>
      <progress
        aria-label={film}
        value={progress.progress}
        max={progress.total}
      />
      <p role="status">
        {running} of {calls.length} are being rendered
        {failed > 0 && `, ${failed} have failed`}
      </p>
      {running > 0 && (
        <button type="button" onClick={cancelAll}>
          Stop all
        </button>
      )}
    </div>
  )
}
