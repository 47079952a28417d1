import { timeOfDay } from '../model/format.js'
import type { Plot } from '../model/plot.js'
import { element, setAttributes, setHidden, svgElement, type View } from './element.js'

const HEIGHT = 56
const MIDDLE = 18

/** The polls of a call on an axis of time. The timeline below it says the same in words. */
export function createPlotView(): View<Plot> {
  const svg = svgElement('svg', { class: 'plot', role: 'img', width: '100%', height: HEIGHT })
  const legend = element('ul', { class: 'legend', 'aria-hidden': 'true' })
  const items = LEGEND.map(([mark, text, isThere]) => ({ item: element('li', { 'data-mark': mark }, text), isThere }))
  legend.append(...items.map(({ item }) => item))
  return {
    element: element('figure', {}, svg, legend),
    update: (plot) => {
      setAttributes(svg, { 'aria-label': `Polls: ${plot.polls.length}, pushes: ${plot.pushes.length}` })
      svg.replaceChildren(...marksOf(plot))
      for (const { item, isThere } of items) setHidden(item, !isThere(plot))
    },
  }
}

/** What a mark means, and whether there is one. */
const LEGEND: readonly (readonly [mark: string, text: string, isThere: (plot: Plot) => boolean])[] = [
  ['created', 'task created', ({ createdAt }) => createdAt !== undefined],
  ['poll', 'poll', ({ polls }) => polls.length > 0],
  ['push', 'push', ({ pushes }) => pushes.length > 0],
  ['wait', 'wait the server asked for', ({ waits }) => waits.some(({ isAsked }) => isAsked)],
  ['backoff', 'wait after a failure', ({ waits }) => waits.some(({ isAsked }) => !isAsked)],
  ['next', 'next poll', ({ nextPollAt, to }) => nextPollAt !== undefined && nextPollAt <= to],
]

function marksOf({ from, to, ticks, waits, polls, pushes, createdAt, nextPollAt, endedAt }: Plot): SVGElement[] {
  const percent = (ms: number) => `${((ms / (to - from)) * 100).toFixed(2)}%`
  const x = (at: number) => percent(at - from)
  const line = (name: string, at: number, reach: number) =>
    svgElement('line', { class: name, x1: x(at), x2: x(at), y1: MIDDLE - reach, y2: MIDDLE + reach })
  const circle = (name: string, at: number, r: number) =>
    svgElement('circle', { class: name, cx: x(at), cy: MIDDLE, r })
  return [
    ...ticks.flatMap((at) => [
      svgElement('line', { class: 'grid', x1: x(at), x2: x(at), y1: 0, y2: HEIGHT - 18 }),
      svgElement('text', { x: x(at), y: HEIGHT - 4 }, timeOfDay(at).slice(0, 8)),
    ]),
    ...waits.map((wait) =>
      svgElement('rect', {
        class: wait.isAsked ? 'wait' : 'backoff',
        x: x(wait.from),
        width: percent(wait.to - wait.from),
        y: MIDDLE - 7,
        height: 14,
      }),
    ),
    ...polls.map(({ at, isFailed }) => line(isFailed ? 'poll failed' : 'poll', at, 10)),
    ...pushes.map((at) => circle('push', at, 3)),
    ...(nextPollAt === undefined ? [] : [line('next', nextPollAt, 10)]),
    ...(createdAt === undefined ? [] : [circle('created', createdAt, 4)]),
    ...(endedAt === undefined ? [] : [circle('end', endedAt, 5)]),
  ]
}
