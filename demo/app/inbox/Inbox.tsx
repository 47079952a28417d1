import { useEffect, useRef, useState } from 'react'
import { useInputRequests } from 'taskwire/react'
import { OfSecondTab } from '../magic/OfSecondTab.js'
import { QuestionRow } from './QuestionRow.js'

/** What waits for the user: of this visit and of earlier ones, of this tab and of others. */
export function Inbox() {
  const [openId, setOpenId] = useState<string>()
  const heading = useRef<HTMLHeadingElement>(null)
  // #region questions
  const questions = useInputRequests() // of every call
  // #endregion questions
  const rows = questions.map((question) => {
    const id = `${question.callId} ${question.inputKey}`
    const toggle = () => setOpenId(openId === id ? undefined : id)
    return <QuestionRow key={id} isOpen={openId === id} onToggle={toggle} question={question} />
  })
  const isOpenGone = openId !== undefined && !rows.some(({ key }) => key === openId)

  useEffect(() => {
    if (!isOpenGone) return
    setOpenId(undefined)
    // The form that had the focus is gone with its question.
    if (document.activeElement === document.body) heading.current?.focus()
  }, [isOpenGone])

  return (
    <section className="panel inbox" aria-labelledby="inbox">
      <header className="panel-header">
        <h2 id="inbox" ref={heading} tabIndex={-1}>
          Inbox
          <OfSecondTab />
        </h2>
        <p className={questions.length > 0 ? 'count' : 'muted'} role="status">
          {questions.length === 0
            ? 'No questions'
            : questions.length === 1
              ? '1 question'
              : `${questions.length} questions`}
        </p>
      </header>
      {questions.length === 0 && (
        <p className="inbox-empty muted">Questions wait here, for hours if they have to, and in every tab.</p>
      )}
      <ul>{rows}</ul>
    </section>
  )
}
