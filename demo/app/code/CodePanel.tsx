import { useState } from 'react'
import { CopyButton } from './CopyButton.js'
import { snippets } from './snippets.js'

/** The lines that make what is seen beside them. */
export function CodePanel() {
  const [shown, setShown] = useState(snippets[0])
  return (
    <section className="panel code" aria-labelledby="code">
      <header className="panel-header">
        <h2 id="code">The lines that do it</h2>
        {shown && <CopyButton text={shown.code} of={`the code of “${shown.name}”`} />}
      </header>
      <fieldset className="segments">
        <legend className="visually-hidden">Code of</legend>
        {snippets.map((snippet) => (
          <label key={snippet.name}>
            <input type="radio" name="snippet" checked={snippet === shown} onChange={() => setShown(snippet)} />
            <span>{snippet.name}</span>
          </label>
        ))}
      </fieldset>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
      <pre tabIndex={0}>
        <code>{highlighted(shown?.code ?? '')}</code>
      </pre>
      <p className="muted">{shown?.about}</p>
    </section>
  )
}

const PARTS = /(\/\/.*|'[^'\n]*'|\b(?:const|return|await|async|function|export|new)\b|\buse[A-Z]\w+)/

function highlighted(code: string): React.ReactNode[] {
  return code.split(PARTS).map((part, index) => {
    if (index % 2 === 0) return part
    const kind = part.startsWith('//')
      ? 'comment'
      : part.startsWith("'")
        ? 'string'
        : part.startsWith('use')
          ? 'hook'
          : 'word'
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text, which are made anew with it
      <span key={index} className={`code-${kind}`}>
        {part}
      </span>
    )
  })
}
