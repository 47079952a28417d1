import { useEffect, useRef, useState } from 'react'
import { signIn } from './signIn.js'

/** The button that had the focus is gone once somebody is signed in. */
function focusMainAndSignIn(event: React.MouseEvent<HTMLElement>): void {
  event.currentTarget.closest('main')?.focus()
  signIn()
}

/** What is left after signing out: nothing, which is counted. */
export function SignedOut() {
  const heading = useRef<HTMLHeadingElement>(null)
  const [records] = useState(() => Object.keys(localStorage).filter((key) => key.startsWith('taskwire:')).length)
  useEffect(() => heading.current?.focus(), [])
  return (
    <section className="panel signed-out" aria-labelledby="signed-out">
      <h1 id="signed-out" ref={heading} tabIndex={-1}>
        You are signed out
      </h1>
      <p>{records} records are left in this browser. Your renders continue on the server, out of sight here.</p>
      <button type="button" className="button primary" onClick={focusMainAndSignIn}>
        Sign in again
      </button>
    </section>
  )
}
