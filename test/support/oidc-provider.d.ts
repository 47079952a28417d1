/** The part of it that the tests use: it brings no types. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http'

  interface Grant {
    addOIDCScope(scope: string): void
    addResourceScope(resource: string, scope: string): void
    save(): Promise<string>
  }

  export interface AccessToken {
    readonly isValid: boolean
    destroy(): Promise<void>
  }

  interface Interaction {
    prompt: { name: string }
    params: { client_id: string; resource?: string }
    session?: { accountId: string }
  }

  export default class Provider {
    constructor(issuer: string, configuration: Record<string, unknown>)
    readonly AccessToken: { find(token: string): Promise<AccessToken | undefined> }
    readonly Grant: new (options: {
      accountId: string | undefined
      clientId: string
    }) => Grant
    on(event: 'access_token.saved', listener: (token: AccessToken) => void): this
    callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>
    interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<Interaction>
    interactionFinished(
      request: IncomingMessage,
      response: ServerResponse,
      result: Record<string, unknown>,
      options?: { mergeWithLastSubmission?: boolean },
    ): Promise<void>
  }
}
