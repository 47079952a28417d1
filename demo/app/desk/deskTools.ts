/** What else the studio does: tools that ask while they run, and what they are called on the screen. */
export const deskTools = [
  {
    name: 'release_trailer',
    title: 'Release the trailer',
    about: 'Cuts it, asks for your approval, publishes it.',
    action: 'Release',
  },
  {
    name: 'book_review',
    title: 'Book a review',
    about: 'Asks for a room and a day.',
    action: 'Book',
  },
  { name: 'link_festival', title: 'Link the festival', about: 'Sends you to the festival’s own page.', action: 'Link' },
  { name: 'ask_producer', title: 'Ask the producer', about: 'Never stops asking. Cancel it.', action: 'Ask' },
] as const

export type DeskTool = (typeof deskTools)[number]

export function deskTitle(name: string): string {
  return deskTools.find((tool) => tool.name === name)?.title ?? name
}
