import { useToolCall } from 'taskwire/react'
import { newsOf, textOf } from './textOf'

/** The tool runs because this component is on the page. */
export function Report({ quarter = 'Q1' }: { quarter?: string }) {
  const { data, error, call, retry } = useToolCall({
    name: 'generate_report',
    arguments: { quarter },
  })
  if (error) {
    return (
      <p role="alert">
        {error.message}{' '}
        <button type="button" onClick={retry}>
          Try again
        </button>
      </p>
    )
  }
  if (!data) return <p role="status">{newsOf(call)}</p>
  return data.isError ? (
    <p role="alert">{textOf(data)}</p>
  ) : (
    <output>{textOf(data)}</output>
  )
}
