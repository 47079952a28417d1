import type { CallObservation } from '../../../core/client/observe/events.js'
import type { ToolCallState } from '../../../core/record/toolCallState.js'
import { toolName } from '../../../core/wire/jobs/job.js'
import { type CallRow, type CallTimes, callRow, phaseOf } from '../model/callRow.js'
import type { DevtoolsModel, ObservedClient } from '../model/devtoolsModel.js'
import { placesOf } from '../model/places.js'
import { plotOf } from '../model/plot.js'
import { timelineOf } from '../model/timeline.js'
import { createCallActions } from './callActions.js'
import { createCallBodies } from './callBodies.js'
import { createCallsBar } from './callsBar.js'
import { createChooser } from './chooser.js'
import { element, setAttributes, type View } from './element.js'
import { createFacts } from './facts.js'
import { createPlotView } from './plotView.js'
import { createTimelineView } from './timelineView.js'

interface ListedCall {
  readonly key: string
  readonly call: ToolCallState
  /** Undefined for a call from a file. */
  readonly client: ObservedClient | undefined
  readonly server: string | undefined
  readonly observations: () => readonly CallObservation[]
  /** The recording that has the call. */
  readonly file: () => string
  readonly model: DevtoolsModel
}

export interface CallsTabOptions {
  readonly onChange: () => void
  /** Forgets what was observed, and the calls from files. */
  readonly onClear: () => void
  /** Takes the text of a file. Returns what is wrong with it. */
  readonly onLoad: (text: string) => string | undefined
}

/** Every call of every client, newest first, and what happened to one of them. */
export function createCallsTab({ onChange, onClear, onLoad }: CallsTabOptions): View<DevtoolsModel> {
  /** Calls that have ended until then are not listed. */
  let clearedAt = 0
  const bar = createCallsBar({
    onChange,
    onClear: () => {
      clearedAt = Date.now()
      onClear()
    },
    onLoad,
  })
  const chooser = createChooser<ListedCall>({
    label: 'Calls',
    empty: 'No calls yet.',
    hint: 'Choose a call.',
    choosesFirst: true,
    head: bar.element,
    keyOf: ({ key }) => key,
    rowOf: (listed) => {
      const { title, phase, message, clock, tone } = rowOf(listed)
      const isLive = listed.client !== undefined
      const text = [isLive && listed.server, message].filter(Boolean).join(' · ')
      return { title, badge: phase, text, note: isLive ? clock : 'from a file', tone }
    },
    detail: createCallDetail(onChange),
    onChange,
  })
  return {
    element: chooser.element,
    update: (model) => {
      const wanted = bar.wanted()
      const listed = listedCalls(model).filter(
        ({ call, client }) =>
          client === undefined || call.startedAt >= clearedAt || call.endedAt === undefined || call.endedAt > clearedAt,
      )
      chooser.update(wanted === '' ? listed : listed.filter((one) => textOf(one).includes(wanted)))
    },
  }
}

function listedCalls(model: DevtoolsModel): ListedCall[] {
  const places = model.clients.length === 1 ? [] : placesOf(model.clients)
  const live = model.clients.flatMap((client, number) =>
    Object.values(client.store.getState().calls).map((call) => ({
      key: `${number} ${call.callId}`,
      call,
      client,
      server: places[number],
      observations: () => model.log.ofCall(number, call.callId),
      file: () => model.recordings[number]?.() ?? '',
      model,
    })),
  )
  const loaded = model.loaded.map(({ key, call, observations, text }) => ({
    key,
    call,
    client: undefined,
    server: 'from a file',
    observations: () => observations,
    file: () => text,
    model,
  }))
  // Of those that were started at once, too, the last one comes first.
  return [...loaded, ...live.reverse().sort((a, b) => b.call.startedAt - a.call.startedAt)]
}

/** Where the filter looks. */
function textOf({ call, server }: ListedCall): string {
  return JSON.stringify([call.name, call.key, call.meta, phaseOf(call), call.task?.statusMessage, server]).toLowerCase()
}

function rowOf({ client, call, server, model }: ListedCall): CallRow {
  return callRow(call, timesOf(client, call), model.now, server)
}

/** A call that ended in an earlier visit is not asked for: that would fetch its outcome. */
function timesOf(client: ObservedClient | undefined, { callId, name, phase, endedAt }: ToolCallState): CallTimes {
  const call = phase === 'ended' || endedAt !== undefined ? undefined : client?.getToolCall(callId)
  const status = client?.jobs?.find(({ start }) => start === name)?.status
  return { nextPollAt: call?.nextPollAt, lastHeardAt: call?.lastHeardAt, statusTool: status && toolName(status) }
}

function createCallDetail(onChange: () => void): View<ListedCall> {
  const actions = createCallActions()
  const facts = createFacts()
  const texts = createFacts('texts')
  const bodies = createCallBodies()
  const plot = createPlotView()
  const timeline = createTimelineView(onChange)
  const progress = element('progress', { 'aria-label': 'Progress', max: 1 })
  const views = [progress, actions, plot, facts, texts, bodies, timeline]
  const root = element('div', { class: 'call' }, ...views.map((view) => ('element' in view ? view.element : view)))
  return {
    element: root,
    update: (listed) => {
      const row = rowOf(listed)
      const { client, call, model, file } = listed
      const observations = listed.observations()
      const isLive = client !== undefined
      // A recording changes no more than a call that has ended.
      setAttributes(root, { 'data-ended': !isLive || call.endedAt !== undefined })
      setAttributes(progress, { value: row.progress ?? 0, 'data-known': row.progress !== undefined })
      actions.update({ call, client, file })
      facts.update(row.facts)
      texts.update(row.texts)
      bodies.update(call)
      const now = isLive ? model.now : (observations.at(-1)?.at ?? call.startedAt)
      const ofPage = observations.filter((one) => !model.isEarlier(one))
      plot.update(plotOf(ofPage, now))
      timeline.update(timelineOf(observations, { ...model, taskId: call.task?.taskId }))
    },
  }
}
