import { createTaskClient } from 'taskwire'
import { browserAuthProvider } from 'taskwire/auth'

export const client = createTaskClient({
  url: 'https://example.com/mcp',
  authProvider: browserAuthProvider({
    redirectUrl: '/callback',
    openPopup: () => window.open('', 'sign-in', 'popup,width=480,height=640'),
  }),
})
