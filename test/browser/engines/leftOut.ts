import type { EngineName } from './engine.js'

/** A test that is left out in some engines. */
export interface LeftOut {
  /** How its name begins. */
  readonly test: string
  readonly in: readonly EngineName[]
  readonly because: string
}

const OTHERS = ['firefox', 'webkit'] as const

const SAME_FAULT =
  'The page makes this fault by itself, so it is the same everywhere. durability.test.ts cuts the engine off.'
const SAME_FORM = 'The form is that of another test which runs in each engine, and the rest is up to the server.'

/**
 * What the engines cannot do, and what says nothing about an engine that another test does not say. Every other test that takes
 * `test` from `engineTest.ts` runs in all of them.
 */
export const LEFT_OUT: readonly LeftOut[] = [
  {
    test: '[DUR-45] a tab in front takes over from a hidden one',
    in: ['webkit'],
    because: 'WebKitWebDriver opens tabs behind the first one and cannot bring them to the front.',
  },
  {
    test: '[DUR-45] a hidden tab takes over from a frozen one',
    in: OTHERS,
    because: 'Only Chromium freezes a page when it is told to.',
  },
  {
    test: 'axe finds nothing wrong',
    in: OTHERS,
    because: 'The colours of a page cannot be switched between light and dark, and the rest is the same everywhere.',
  },
  {
    test: 'what a finger presses is 44 pixels wide and high',
    in: OTHERS,
    because: 'Only Chromium makes believe that it is a telephone.',
  },
  {
    test: 'Escape in the second tab closes it',
    in: ['webkit'],
    because: 'WebKitWebDriver presses keys in the page around a frame, whatever has the focus.',
  },
  {
    test: 'the code beside the studio can be copied',
    in: OTHERS,
    because: 'A page reads the clipboard there only once the user has said yes, to a question that no driver answers.',
  },
  {
    test: 'nothing moves for a user who wants less motion',
    in: OTHERS,
    because: 'What a user wants cannot be changed while the browser runs.',
  },
  {
    test: 'without a network nothing is asked, in no tab',
    in: OTHERS,
    because: SAME_FAULT,
  },
  {
    test: 'a call whose answer is lost is asked for again',
    in: OTHERS,
    because: SAME_FAULT,
  },
  {
    test: 'a poll whose answer is lost comes again',
    in: OTHERS,
    because: SAME_FAULT,
  },
  {
    test: 'a restarted server goes on with its renders',
    in: OTHERS,
    because: 'The server is restarted, and the page sees responses as any others.',
  },
  {
    test: 'the code beside the studio is that of its sources',
    in: OTHERS,
    because: 'The text is the same everywhere.',
  },
  {
    test: 'what is declined is not done',
    in: OTHERS,
    because: SAME_FORM,
  },
  {
    test: 'a tool that never stops asking is ended',
    in: OTHERS,
    because: SAME_FORM,
  },
  {
    test: 'a response that does not get through stays',
    in: OTHERS,
    because: '[DUR-94] breaks connections off in each engine, and the form waits alike for all that fails.',
  },
  {
    test: 'what one tab asked for is answered in another',
    in: OTHERS,
    because: 'What is asked in one tab is answered in the other by a test of magic.weekly.test.ts, too.',
  },
]

/** Why a test is left out in an engine; undefined for one that runs. */
export const whyLeftOut = (test: string, engine: EngineName): string | undefined =>
  LEFT_OUT.find((one) => test.startsWith(one.test) && one.in.includes(engine))?.because
