import type { TaskStorage } from 'taskwire'

export interface DeviceStorageOptions {
  /** Where the records are at your backend, such as `/api/task-records`. */
  url: string
  /**
   * Names this browser to the backend: the same for all of its tabs and after a
   * reload.
   */
  browserId: string
  fetch?: (url: string, init: RequestInit) => Promise<Response>
  /** Waits, in ms. */
  sleep?: (ms: number) => Promise<void>
}

/**
 * How often the page asks for a record that another device is about to write.
 * It waits a second each time.
 */
const ATTEMPTS = 10

/**
 * Keeps the records of calls at your backend, for all devices of the user who
 * is signed in.
 */
export function deviceStorage({
  url,
  browserId,
  fetch = (...request) => globalThis.fetch(...request),
  sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
}: DeviceStorageOptions): TaskStorage {
  /**
   * The version of each record that this page has read, for a write that
   * replaces no other version.
   */
  const versions = new Map<string, string>()

  async function send(
    method: string,
    name: string,
    headers = {},
    body?: string,
  ): Promise<Response> {
    const response = await fetch(`${url}/${encodeURIComponent(name)}`, {
      method,
      headers: {
        'X-Browser-Id': browserId,
        'Content-Type': 'text/plain',
        ...headers,
      },
      credentials: 'same-origin',
      // The write completes even if the page is closed. Browsers allow 64 KiB
      // for this.
      keepalive: method !== 'GET',
      ...(body !== undefined && { body }),
    })
    const isExpected =
      response.ok ||
      (method === 'GET' && (response.status === 404 || response.status === 423))
    // The client reports this to `onError`, and the call continues.
    if (!isExpected)
      throw new Error(
        `The backend answered ${response.status} to ${method} of a task record.`,
      )
    return response
  }

  function noteVersion(name: string, response: Response): void {
    const version = response.headers.get('ETag')
    if (response.ok && version !== null) versions.set(name, version)
    else versions.delete(name)
  }

  return {
    getItem: async (name) => {
      for (let attempt = 1; ; attempt++) {
        const response = await send('GET', name)
        noteVersion(name, response)
        if (response.ok) return response.text()
        if (response.status === 404) return null
        if (attempt === ATTEMPTS)
          throw new Error(
            'Another device has reserved a task record for too long.',
          )
        await sleep(1000)
      }
    },
    setItem: async (name, value) => {
      const version = versions.get(name)
      const condition =
        version === undefined
          ? { 'If-None-Match': '*' }
          : { 'If-Match': version }
      noteVersion(name, await send('PUT', name, condition, value))
    },
    removeItem: async (name) => {
      await send('DELETE', name)
      versions.delete(name)
    },
    keys: async () => {
      const names: unknown = await (await send('GET', '')).json()
      return Array.isArray(names)
        ? names.filter((name) => typeof name === 'string')
        : []
    },
  }
}
