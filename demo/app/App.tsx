import { useRef } from 'react'
import { Announcer } from './calls/Announcer.js'
import { CodePanel } from './code/CodePanel.js'
import { Install } from './code/Install.js'
import { Desk } from './desk/Desk.js'
import { ConnectionProblem } from './header/ConnectionProblem.js'
import { Header } from './header/Header.js'
import { Inbox } from './inbox/Inbox.js'
import { Magic } from './magic/Magic.js'
import { SecondTab } from './magic/SecondTab.js'
import { SignedOut } from './magic/SignedOut.js'
import { useSignedIn } from './magic/signIn.js'
import { useKept } from './magic/useKept.js'
import { Shots } from './studio/Shots.js'
import { isBeside, isLegacy } from './switches.js'

export function App() {
  const isSignedIn = useSignedIn()
  return (
    <>
      {isBeside ? <h1 className="visually-hidden">Northlight Studio, second tab</h1> : <Header />}
      <main tabIndex={-1} aria-label={isBeside ? 'Second tab' : undefined}>
        {isSignedIn ? <Studio /> : <SignedOut />}
      </main>
      <Announcer />
    </>
  )
}

function Studio() {
  const [isBesideOpen, setIsBesideOpen] = useKept('second-tab')
  const opener = useRef<HTMLButtonElement>(null)
  const work = (
    <div className="work">
      <ConnectionProblem />
      <Shots />
      {!isLegacy && <Inbox />}
      {!isLegacy && <Desk />}
      {/* There would be a hole in the place of the inbox and the desk. */}
      {isLegacy && !isBeside && <CodePanel />}
    </div>
  )
  if (isBeside) return work
  return (
    <>
      <div className="intro">
        <div>
          <h1>Renders that outlive the page</h1>
          <p>
            Northlight’s renders and releases take minutes on a server. They report their progress, ask when they need
            you, and finish while you are away. Start one, then try to lose it.
          </p>
        </div>
        <Install />
      </div>
      <div className="stage">
        {work}
        <div className="side">
          <Magic opener={opener} isBesideOpen={isBesideOpen} onBeside={() => setIsBesideOpen(!isBesideOpen)} />
          {isBesideOpen ? (
            <SecondTab
              onClose={() => {
                setIsBesideOpen(false)
                opener.current?.focus()
              }}
            />
          ) : (
            !isLegacy && <CodePanel />
          )}
        </div>
      </div>
    </>
  )
}
