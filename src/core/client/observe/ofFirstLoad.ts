/** What the first load passes to the observer: a module that both import would be a chunk of its own. */
export interface OfFirstLoad {
  readonly hash: (text: string) => string
  readonly withoutSecrets: (path: string, replace: (segment: string) => string) => string
  readonly withoutId: (text: string, taskId: string | undefined) => string
}
