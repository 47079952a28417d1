import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { TaskClientProvider } from 'taskwire/react'
import { client } from './client'
import './index.css'
import { Report } from './report'

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <TaskClientProvider client={client}>
      <main>
        <h1>Sales report</h1>
        <Report />
      </main>
    </TaskClientProvider>
  </StrictMode>,
)
