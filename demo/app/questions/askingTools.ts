/** The tools of the demo that ask, and what they are called on the screen. */
export const askingTools = {
  deploy: 'Deploy',
  book_meeting: 'Book a meeting',
  link_account: 'Link an account',
  never_content: 'Never content',
} as const

export type AskingTool = keyof typeof askingTools

export function isAskingTool(name: string): name is AskingTool {
  return Object.hasOwn(askingTools, name)
}

export function toolTitle(name: string): string {
  return isAskingTool(name) ? askingTools[name] : name
}
