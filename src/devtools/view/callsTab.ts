import type { ToolCallState } from '../../core/record/toolCallState.js'
import { type CallRow, type CallTimes, callRow } from '../model/callRow.js'
import type { DevtoolsModel, ObservedClient } from '../model/devtoolsModel.js'
import { plotOf } from '../model/plot.js'
import { timelineOf } from '../model/timeline.js'
import { createChooser } from './chooser.js'
import { element, setAttributes, type View } from './element.js'
import { createFacts } from './facts.js'
import { createPlotView } from './plotView.js'
import { createTimelineView } from './timelineView.js'

interface ListedCall {
  readonly key: string
  readonly client: number
  readonly call: ToolCallState
  readonly model: DevtoolsModel
}

/** Every call of every client, newest first, and what happened to one of them. */
export function createCallsTab(onChange: () => void): View<DevtoolsModel> {
  const chooser = createChooser<ListedCall>({
    label: 'Calls',
    empty: 'No calls yet.',
    hint: 'Choose a call.',
    choosesFirst: true,
    keyOf: ({ key }) => key,
    rowOf: (listed) => {
      const { name, phase, message, clock, tone } = rowOf(listed)
      return { title: name, badge: phase, text: message, note: clock, tone }
    },
    detail: createCallDetail(onChange),
    onChange,
  })
  return { element: chooser.element, update: (model) => chooser.update(listedCalls(model)) }
}

function listedCalls(model: DevtoolsModel): ListedCall[] {
  const listed = model.clients.flatMap(({ store }, client) =>
    Object.values(store.getState().calls).map((call) => ({ key: `${client} ${call.callId}`, client, call, model })),
  )
  return listed.sort((a, b) => b.call.startedAt - a.call.startedAt)
}

function rowOf({ client, call, model }: ListedCall): CallRow {
  return callRow(call, timesOf(model.clients[client], call), model.now)
}

/** A call that ended in an earlier visit is not asked for: that would fetch its outcome. */
function timesOf(client: ObservedClient | undefined, { callId, name, phase, endedAt }: ToolCallState): CallTimes {
  const call = phase === 'ended' || endedAt !== undefined ? undefined : client?.getToolCall(callId)
  const status = client?.jobs?.find(({ start }) => start === name)?.status
  const statusTool = typeof status === 'object' ? status.tool : status
  return { nextPollAt: call?.nextPollAt, lastHeardAt: call?.lastHeardAt, statusTool }
}

function createCallDetail(onChange: () => void): View<ListedCall> {
  const facts = createFacts()
  const texts = createFacts('texts')
  const plot = createPlotView()
  const timeline = createTimelineView(onChange)
  const progress = element('progress', { 'aria-label': 'Progress', max: 1 })
  return {
    element: element('div', { class: 'call' }, progress, plot.element, facts.element, texts.element, timeline.element),
    update: (listed) => {
      const row = rowOf(listed)
      const { client, call, model } = listed
      const observations = model.log.ofCall(client, call.callId)
      setAttributes(progress, { value: row.progress ?? 0, 'data-known': row.progress !== undefined })
      facts.update(row.facts)
      texts.update(row.texts)
      const { at: mountedAt } = model.start
      plot.update(
        plotOf(
          observations.filter(({ at }) => at >= mountedAt),
          model.now,
        ),
      )
      timeline.update(timelineOf(observations, mountedAt))
    },
  }
}
