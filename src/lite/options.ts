import type { TaskClientBaseOptions } from '../client/taskClient.js'

/** What `createTaskClient` of `taskwire/lite` takes. */
export interface TaskClientLiteOptions extends TaskClientBaseOptions {
  /**
   * The MCP endpoint. A relative URL is resolved against the page or the script of the worker; where there is none, as
   * during server rendering, when the client connects.
   */
  url: string | URL
  /**
   * Headers of every request, or a function that is asked for them with every request: for a token that changes. Those of
   * the protocol count more.
   */
  headers?: HeadersInit | (() => HeadersInit | Promise<HeadersInit>)
  /** What requests are sent by. @default the `fetch` of the page */
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
