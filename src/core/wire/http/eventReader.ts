/**
 * Reads server-sent events from a text that comes in pieces (HTML, "Server-sent events"): returns a function that takes
 * the next piece. `onMessage` is called with the data of each event of the type `message`. The work is proportional to the text,
 * however it is cut. A byte order mark is the decoder's.
 */
export function createEventReader(onMessage: (data: string) => void): (piece: string) => void {
  /** The line whose end has not come. */
  let line = ''
  let isAfterReturn = false
  let type = ''
  let data: string[] = []

  function take(whole: string): void {
    if (whole === '') {
      if (data.length > 0 && (type === '' || type === 'message')) onMessage(data.join('\n'))
      type = ''
      data = []
      return
    }
    const [prefix = '', field] = /^(data|event)(?:: ?|$)/.exec(whole) ?? []
    const value = whole.slice(prefix.length)
    if (field === 'data') data.push(value)
    if (field === 'event') type = value
  }

  return (piece) => {
    if (piece === '') return
    // A carriage return ends its line at once: the line feed that may follow it is not waited for.
    const lines = (isAfterReturn && piece.startsWith('\n') ? piece.slice(1) : piece).split(/\r\n?|\n/)
    isAfterReturn = piece.endsWith('\r')
    lines[0] = line + lines[0]
    line = lines.pop() ?? ''
    for (const whole of lines) take(whole)
  }
}
