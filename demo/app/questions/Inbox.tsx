import { useInputRequests, useTaskClient, useToolCalls } from 'taskwire/react'
import { AskingCall } from './AskingCall.js'
import { type AskingTool, askingTools, isAskingTool } from './askingTools.js'
import { Question } from './Question.js'

/** Tools that ask while they run, and their questions: of this visit and of earlier ones, of this tab and of others. */
export function Inbox() {
  const client = useTaskClient()
  const questions = useInputRequests()
  const calls = useToolCalls({ filter: (call) => isAskingTool(call.name) })

  function start(name: AskingTool): void {
    client.startToolCall({ name, arguments: name === 'link_account' ? { origin: location.origin } : {} })
  }

  return (
    <section className="panel inbox" aria-labelledby="inbox">
      <header className="panel-header">
        <h2 id="inbox">Inbox</h2>
        <p className="muted">
          {questions.length === 0
            ? 'Nothing needs you'
            : questions.length === 1
              ? '1 question'
              : `${questions.length} questions`}
        </p>
      </header>
      <ul className="questions">
        {questions.map((question) => (
          <Question key={`${question.callId} ${question.inputKey}`} {...question} />
        ))}
      </ul>
      <div className="asking-tools">
        {Object.entries(askingTools).map(([name, title]) => (
          <button key={name} type="button" className="button" onClick={() => isAskingTool(name) && start(name)}>
            {title}
          </button>
        ))}
      </div>
      <ul className="asking-calls">
        {calls.toReversed().map((call) => (
          <AskingCall key={call.callId} call={call} />
        ))}
      </ul>
    </section>
  )
}
