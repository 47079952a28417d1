/**
 * The public methods of a connected `Client` of `@modelcontextprotocol/sdk` 1.x that Taskwire uses. Declared here so that
 * an app without that package compiles.
 */
export interface SdkV1Client {
  readonly transport?: object | undefined
  request(
    request: { method: string; params?: { [key: string]: unknown } },
    resultSchema: never,
    options?: never,
  ): Promise<unknown>
  listTools(params?: { cursor?: string }): Promise<{ tools: unknown[]; nextCursor?: string | undefined }>
  getServerCapabilities(): object | undefined
  getServerVersion(): { name: string; version: string } | undefined
  close(): Promise<void>
  fallbackRequestHandler?: unknown
  fallbackNotificationHandler?: unknown
}

/** The part of the `jsonSchemaValidator` of SDK v1 that Taskwire uses. */
export interface SchemaValidator {
  getValidator(schema: never): (value: unknown) => { valid: boolean; errorMessage?: string | undefined }
}

/** True for a client of SDK v1. One of v2 knows eras. */
export function isSdkV1Client(client: object): client is SdkV1Client {
  const has = (method: string) => typeof (client as Record<string, unknown>)[method] === 'function'
  return !has('getProtocolEra') && ['request', 'listTools', 'getServerCapabilities', 'close'].every(has)
}
