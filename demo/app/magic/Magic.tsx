import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, type RefObject, useState } from 'react'
import type { Fault } from 'taskwire/devtools'
import { useTaskClient } from 'taskwire/react'
import { MagicIcon } from './MagicIcon.js'
import { Proof } from './Proof.js'
import { signOut } from './signIn.js'
import { useFault } from './useFault.js'

interface MagicProps {
  readonly opener: RefObject<HTMLButtonElement | null>
  readonly isBesideOpen: boolean
  readonly onBeside: () => void
}

/** What usually loses work, each behind a button. */
export function Magic({ opener, isBesideOpen, onBeside }: MagicProps) {
  const client = useTaskClient()
  const queryClient = useQueryClient()
  const [said, setSaid] = useState<string>()

  async function restart(): Promise<void> {
    setSaid('The server is down for two seconds. Then it continues its renders.')
    await fetch(`${import.meta.env.BASE_URL}__server/restart`, { method: 'POST' })
  }

  return (
    <section className="panel magic" aria-labelledby="magic">
      <header className="panel-header">
        <h2 id="magic">Try to lose it</h2>
      </header>
      <Proof />
      <div className="magic-buttons">
        <button type="button" className="button" onClick={() => location.reload()}>
          <MagicIcon name="reload" /> Reload this page
        </button>
        <button type="button" ref={opener} className="button" aria-expanded={isBesideOpen} onClick={onBeside}>
          <MagicIcon name="tabs" /> {isBesideOpen ? 'Close second tab' : 'Open second tab'}
        </button>
        <FaultButton
          fault="offline"
          onSwitch={(isOn) =>
            setSaid(isOn ? 'The network is cut in every tab. The server keeps working.' : 'The network is back.')
          }
        >
          <MagicIcon name="network" /> Cut the network
        </FaultButton>
        <FaultButton
          fault="lose-next-answer"
          onSwitch={(isOn) =>
            setSaid(
              isOn
                ? 'The next answer gets lost on its way to this tab. The page requests it again; nothing runs twice.'
                : 'No answer gets lost.',
            )
          }
        >
          <MagicIcon name="answer" /> Lose an answer
        </FaultButton>
        <button type="button" className="button" onClick={restart}>
          <MagicIcon name="server" /> Restart the server
        </button>
        <button type="button" className="button" onClick={() => void signOut(client, queryClient)}>
          <MagicIcon name="out" /> Forget and sign out
        </button>
      </div>
      <p className="magic-said muted" role="status" data-idle={said === undefined || undefined}>
        {said ?? 'A render runs once, whatever you press.'}
      </p>
    </section>
  )
}

interface FaultButtonProps {
  readonly fault: Fault
  readonly onSwitch: (isOn: boolean) => void
  readonly children: ReactNode
}

/** Switches a fault; not there where the page was built without faults. */
function FaultButton({ fault, onSwitch, children }: FaultButtonProps) {
  const state = useFault(fault)
  if (state === undefined) return
  const toggle = () => {
    onSwitch(!state.isOn)
    state.set(!state.isOn)
  }
  return (
    <button type="button" className="button" aria-pressed={state.isOn} onClick={toggle}>
      {children}
    </button>
  )
}
