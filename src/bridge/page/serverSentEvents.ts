import { readEvents } from '../../core/wire/http/readEvents.js'
import { type BridgeCarrier, positionText, SILENCE_MS } from './carrier.js'
import { reached, refusalOf } from './requests.js'

/** News as server-sent events: the carrier of every platform. */
export const serverSentEvents: BridgeCarrier = {
  async carry({ environment, fetch, url, position, abort, onMessage }) {
    const headers = { accept: 'text/event-stream', ...(position && { 'last-event-id': positionText(position) }) }
    let timer: unknown
    const watch = () => {
      environment.clearTimeout(timer)
      timer = environment.setTimeout(() => abort.abort(), SILENCE_MS)
    }
    watch()
    try {
      const response = await reached(fetch(url(), { headers, cache: 'no-store', signal: abort.signal }))
      if (!response.ok) return await refusalOf(response, environment.now())
      await readEvents(response, abort.signal, (message) => {
        watch()
        onMessage(message)
        return false
      })
      return undefined
    } finally {
      environment.clearTimeout(timer)
      abort.abort()
    }
  },
}
