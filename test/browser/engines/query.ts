/** What a text must be: a part of it, all of it, or what a regular expression finds. */
export type Match =
  | { readonly text: string; readonly exact: boolean }
  | { readonly source: string; readonly flags: string }

/** One step on the way to elements, as it is sent to a page. */
export type Step =
  | { readonly by: 'role'; readonly role: string; readonly name?: Match }
  | { readonly by: 'text' | 'label'; readonly text: Match }
  | { readonly by: 'css'; readonly css: string; readonly text?: Match }
  | { readonly by: 'frame'; readonly css: string }
  | { readonly by: 'has'; readonly steps: readonly Step[] }
  | { readonly by: 'index'; readonly index: number }

export function matchOf(text: string | RegExp, exact = false): Match {
  return typeof text === 'string' ? { text, exact } : { source: text.source, flags: text.flags }
}
