import type { QueryClient } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import type { TaskClient } from 'taskwire'
import { resetTally } from './tally.js'

const KEY = 'northlight:signed-out'

/** Leaves nothing of the user's work in this browser, in any tab. What runs on the server goes on. */
export async function signOut(client: TaskClient, queryClient: QueryClient): Promise<void> {
  // #region signOut
  await client.forget() // all calls, in all tabs
  queryClient.clear()
  // #endregion signOut
  localStorage.setItem(KEY, 'yes')
  resetTally()
  tell()
}

export function signIn(): void {
  localStorage.removeItem(KEY)
  tell()
}

/** Whether somebody is signed in, in this browser. The demo believes everybody. */
export function useSignedIn(): boolean {
  return useSyncExternalStore(subscribe, () => localStorage.getItem(KEY) === null)
}

function subscribe(onChange: () => void): () => void {
  addEventListener('storage', onChange)
  addEventListener(KEY, onChange)
  return () => {
    removeEventListener('storage', onChange)
    removeEventListener(KEY, onChange)
  }
}

/** The browser tells other tabs only. */
function tell(): void {
  dispatchEvent(new Event(KEY))
}
