import { isPushed } from './isPushed.js'

/** Loads the page again, with or without push: the reports go on either way. */
export function PushSwitch() {
  return (
    <p className="server-switch">
      <a href={isPushed ? '.' : '?push'}>{isPushed ? 'Poll instead' : 'Let the server push'}</a>
    </p>
  )
}
