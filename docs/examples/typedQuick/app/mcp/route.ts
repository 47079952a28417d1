import { server } from '../../reports'

const handle = (request: Request) => server.fetch(request)

export { handle as DELETE, handle as GET, handle as POST }
