/**
 * Where a server wants the user to go, in full and before anything is opened. The host stands out: user names and paths
 * may be made to look like one. A click is the user's consent, and opens a tab that cannot reach this one.
 */
export function WebAddress({ url }: { url: string }) {
  const { href, host, protocol } = new URL(url)
  const start = href.indexOf('/', protocol.length + 2) - host.length
  return (
    <div>
      <a className="web-address" href={href} target="_blank" rel="noopener noreferrer">
        {href.slice(0, start)}
        <strong>{host}</strong>
        {href.slice(start + host.length)}
      </a>
      {/(^|\.)xn--/.test(host) && <p className="question-problem">This address has letters that may imitate others.</p>}
    </div>
  )
}
