import dailies from '../desk/Dailies.tsx?raw'
import inbox from '../inbox/Inbox.tsx?raw'
import question from '../inbox/Question.tsx?raw'
import signIn from '../magic/signIn.ts?raw'
import main from '../main.tsx?raw'
import progressBar from '../studio/ProgressBar.tsx?raw'
import shotCard from '../studio/ShotCard.tsx?raw'

export interface Snippet {
  readonly name: string
  readonly about: string
  readonly code: string
}

/** Code of this very page: regions of its sources, so that what is shown is what runs. */
export const snippets: readonly Snippet[] = [
  {
    name: 'Render',
    about: 'A button, its progress, its result. After a reload it shows the call that still runs, or how it ended.',
    code: `${region(shotCard, 'render')}\n${region(progressBar, 'progress')}`,
  },
  {
    name: 'Ask',
    about: 'Every question from every call, and how to answer it.',
    code: `${region(inbox, 'questions')}\n\n${region(question, 'answer')}`,
  },
  {
    name: 'Share',
    about: 'Two components with one key share one call and one poller. So do two tabs.',
    code: region(dailies, 'share'),
  },
  { name: 'Set up', about: 'Once, around the app.', code: region(main, 'provider') },
  { name: 'Sign out', about: 'Removes everything about the user from the browser.', code: region(signIn, 'signOut') },
]

/** The lines between `#region` and `#endregion`, as far left as they go. */
function region(source: string, name: string): string {
  const lines = source.split('\n')
  const mark = (word: string) => lines.findIndex((line) => /#\w+ \w+/.exec(line)?.[0] === `#${word} ${name}`)
  const [from, to] = [mark('region'), mark('endregion')]
  if (from < 0 || to < 0) throw new RangeError(`There is no region ${name}.`)
  const found = lines.slice(from + 1, to)
  const indent = Math.min(...found.map((line) => line.search(/\S/)).filter((at) => at >= 0))
  return found.map((line) => line.slice(indent)).join('\n')
}
