const STORED = 'taskwire-gateway-token'

/** The token of `--token`, which the user enters once in a tab. */
export interface Token {
  readonly headers: () => Record<string, string>
  /** True once the user has entered one. */
  readonly isEntered: () => boolean
  /** Calls the listener when the user has entered one. */
  onEntered(listener: () => void): void
}

/** Reads the form of the page. */
export function createToken(): Token {
  const form = document.getElementById('token') as HTMLFormElement
  return {
    headers() {
      const token = sessionStorage.getItem(STORED)
      return token === null ? {} : { authorization: `Bearer ${token}` }
    },
    isEntered: () => sessionStorage.getItem(STORED) !== null,
    onEntered(listener) {
      form.addEventListener('submit', (event) => {
        event.preventDefault()
        const [input] = form.getElementsByTagName('input')
        sessionStorage.setItem(STORED, input?.value.trim() ?? '')
        listener()
      })
    },
  }
}
