import type { TaskClientBaseOptions } from '../client/taskClient.js'

/** The options of `createTaskClient` of `taskwire/lite`. */
export interface TaskClientLiteOptions extends TaskClientBaseOptions {
  /**
   * The MCP endpoint. A relative URL is resolved against the page or the script of the worker; elsewhere, as during server
   * rendering, it is resolved when the client connects.
   */
  url: string | URL
  /**
   * The headers of every request, or a function that returns them for each request, for instance with a token that changes.
   * The protocol's own headers take precedence. If the function fails or takes longer than 20 s, nothing is sent.
   */
  headers?: HeadersInit | (() => HeadersInit | Promise<HeadersInit>)
  /** The function that sends requests. @default the `fetch` of the page */
  fetch?: (url: string | URL, init?: RequestInit) => Promise<Response>
  /** @default \{ name: 'taskwire', version \} */
  clientInfo?: { name: string; version: string; title?: string; description?: string; websiteUrl?: string }
  /**
   * Capabilities to declare to the server, in addition to elicitation in both modes and to the kinds of input that
   * `input.handlers` responds to. A kind that you set here is declared exactly as you set it. Input requests of a declared
   * kind without a handler wait for `respond()`. An input request of an undeclared kind fails its call with
   * `TaskInputRequiredError`.
   */
  capabilities?: { elicitation?: object; sampling?: object; roots?: object; [capability: string]: object | undefined }
}
