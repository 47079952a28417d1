import { isLite } from '../switches.js'
import { CopyButton } from './CopyButton.js'

const COMMAND = isLite ? 'npm install taskwire' : 'npm install taskwire @modelcontextprotocol/client'

const SOURCE = 'https://github.com/taskwire/taskwire'

export function Install() {
  return (
    <div>
      <p className="install">
        <code>{COMMAND}</code>
        <CopyButton text={COMMAND} of="the install command" />
      </p>
      <p className="links">
        <a href={`${SOURCE}/tree/main/docs`}>Documentation</a>
        <a href="https://www.npmjs.com/package/taskwire">npm</a>
        <a href={SOURCE}>Source</a>
      </p>
    </div>
  )
}
