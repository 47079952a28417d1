import { after } from 'next/server'
import { server } from '../../lib/reports'

// Some hosts stop a function once its response is sent. With `after`, they wait
// for the work of the task.
const handle = (request: Request) =>
  server.fetch(request, { waitUntil: (work) => after(() => work) })

export { handle as DELETE, handle as GET, handle as OPTIONS, handle as POST }
