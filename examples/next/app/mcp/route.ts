import { after } from 'next/server'
import { server } from '../../lib/reports'

// Hosts that stop a function once its response is out let it go on with the
// work for which `after` waits.
const handle = (request: Request) =>
  server.fetch(request, { waitUntil: (work) => after(() => work) })

export { handle as DELETE, handle as GET, handle as OPTIONS, handle as POST }
