import { serveSite } from '../../../demo/page/serveSite.js'
import { server as vanilla } from '../../../examples/vanilla/server.js'
import { server as react } from '../../../examples/vite-react/server.js'
import { server as ask } from '../ask/server.js'
import { server as hooks } from '../hooks/server.js'
import { createServerLike } from './taskwireServer.js'

/** By the name of the example, which is that of the folder that the service worker serves. */
const servers = { ask, hero: react, hooks, react, vanilla }

serveSite({
  name: 'taskwire-live',
  createServer: ({ pathname }) => {
    const name = pathname.split('/').at(-2) ?? ''
    const [, server] = Object.entries(servers).find(([key]) => key === name) ?? []
    if (server === undefined) throw new TypeError(`There is no live example ${name}.`)
    return (parts) => createServerLike(server, parts)
  },
})
