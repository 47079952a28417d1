import { useQueryClient } from '@tanstack/react-query'
import { type RefObject, useState } from 'react'
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
  const network = useFault('offline')
  const answer = useFault('lose-next-answer')
  const [said, setSaid] = useState<string>()

  async function restart(): Promise<void> {
    setSaid('The server is down for two seconds. Then it goes on with what it was doing.')
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
        {network && (
          <button
            type="button"
            className="button"
            aria-pressed={network.isOn}
            onClick={() => {
              setSaid(network.isOn ? 'The network is back.' : 'The network is cut, in every tab. The server works on.')
              network.set(!network.isOn)
            }}
          >
            <MagicIcon name="network" /> Cut the network
          </button>
        )}
        {answer && (
          <button
            type="button"
            className="button"
            aria-pressed={answer.isOn}
            onClick={() => {
              setSaid(
                answer.isOn
                  ? 'No answer gets lost.'
                  : 'The next answer gets lost on its way to this tab. It is asked for again; nothing runs twice.',
              )
              answer.set(!answer.isOn)
            }}
          >
            <MagicIcon name="answer" /> Lose an answer
          </button>
        )}
        <button type="button" className="button" onClick={restart}>
          <MagicIcon name="server" /> Restart the server
        </button>
        <button type="button" className="button" onClick={() => void signOut(client, queryClient)}>
          <MagicIcon name="out" /> Forget and sign out
        </button>
      </div>
      <p className="magic-said muted" role="status">
        {said ??
          'Start something, then press any of these in the middle of it. What you start runs once, whatever you do.'}
      </p>
    </section>
  )
}
