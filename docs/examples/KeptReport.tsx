import { useToolCallMutation } from 'taskwire/react'

/** The report of an earlier visit, also after the server has dropped it. */
export function KeptReport() {
  const { call, data, error, isPending, mutate } = useToolCallMutation({
    name: 'generate_report',
    key: 'report-Q3',
    keepResult: true,
  })
  const text = data?.content
    .map((block) => (block.type === 'text' ? block.text : ''))
    .join('\n')
  return (
    <section>
      <button
        type="button"
        disabled={isPending}
        onClick={() => mutate({ quarter: 'Q3' })}
      >
        {data ? 'Generate it again' : 'Generate the report'}
      </button>
      {isPending && (
        <p role="status">{call?.progress?.message ?? 'Working…'}</p>
      )}
      {error && <p role="alert">{error.message}</p>}
      {data?.isError && <p role="alert">{text}</p>}
      {call?.endedAt !== undefined && data && !data.isError && (
        <figure>
          <pre>{text}</pre>
          <figcaption>
            Generated on {new Date(call.endedAt).toLocaleString()}
          </figcaption>
        </figure>
      )}
    </section>
  )
}
