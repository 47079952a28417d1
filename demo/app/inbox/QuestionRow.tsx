import { useId, useRef } from 'react'
import { type PendingInputRequest, useTaskClient } from 'taskwire/react'
import { callTitle } from '../calls/callTitle.js'
import { Question } from './Question.js'

interface QuestionRowProps {
  readonly question: PendingInputRequest
  readonly isOpen: boolean
  readonly onToggle: () => void
}

/** One line of the inbox, which opens to the form of its question. What is typed stays while it is closed. */
export function QuestionRow({ question, isOpen, onToggle }: QuestionRowProps) {
  const client = useTaskClient()
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  const { request, call } = question
  if (request.method !== 'elicitation/create') return null

  return (
    <li className="question" data-testid="question">
      <h3>
        <button
          type="button"
          ref={button}
          className="question-toggle"
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={onToggle}
        >
          <span className="question-message">{request.params.message}</span>
          <svg viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
            <path d="m3 4.5 3 3 3-3" />
          </svg>
        </button>
      </h3>
      <fieldset
        id={id}
        aria-label={request.params.message}
        hidden={!isOpen}
        className="question-body"
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return
          onToggle()
          button.current?.focus()
        }}
      >
        <p className="muted">The server of this demo asks, for “{callTitle(client, call)}”</p>
        <Question question={question} />
      </fieldset>
    </li>
  )
}
