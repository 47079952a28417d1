import { CopyButton } from './CopyButton.js'

const COMMAND = 'npm install taskwire @modelcontextprotocol/client'

export function Install() {
  return (
    <p className="install">
      <code>{COMMAND}</code>
      <CopyButton text={COMMAND} of="the install command" />
    </p>
  )
}
