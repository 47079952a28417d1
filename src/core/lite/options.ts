import type { TaskClientBaseOptions } from '../client/taskClient.js'

/** The options of `createTaskClient` of `taskwire/lite`. */
export interface TaskClientLiteOptions extends TaskClientBaseOptions {
  /**
   * The MCP endpoint. A relative URL is resolved against the page or the script of the worker; outside of both, as during
   * server rendering, it is resolved when the client connects.
   */
  url: string | URL
  /**
   * Headers of every request, or a function that returns them for each request: for a token that changes. The protocol's own
   * headers take precedence.
   */
  headers?: HeadersInit | (() => HeadersInit | Promise<HeadersInit>)
  /** The function that sends requests. @default the `fetch` of the page */
  fetch?: (url: string | URL, init?: RequestInit) => Promise<Response>
  /** @default \{ name: 'taskwire', version \} */
  clientInfo?: { name: string; version: string; title?: string; description?: string; websiteUrl?: string }
  /**
   * Declared to the server on top of elicitation in both modes and of what `input.handlers` responds to; a kind that
   * is named here is declared as it stands here. Input requests of a kind that is declared and has no handler wait for
   * `respond()`; one that is not declared fails its call with `TaskInputRequiredError`.
   */
  capabilities?: { elicitation?: object; sampling?: object; roots?: object; [capability: string]: object | undefined }
}
