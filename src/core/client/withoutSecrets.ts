/** Words, such as `mcp`, `v1` and `tool_calls`. Services that give each user an URL of their own put a key or a UUID into its path. */
const WORDS = /^(?=.{0,24}$)[a-z]*([-_.][a-z]+)*\d{0,2}$/i

/** A path whose segments are shown if they are words, and otherwise replaced: one of them may be a secret. */
export function withoutSecrets(path: string, replace: (segment: string) => string): string {
  return path
    .split('/')
    .map((segment) => (WORDS.test(segment) ? segment : replace(segment)))
    .join('/')
}
