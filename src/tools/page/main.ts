// The page of `npx taskwire gateway`: the tools of the server behind, a form for each, and the calls, which outlive the page.
import type { TaskClientState } from '../../core/client/taskClient.js'
import { createTaskClient } from '../../core/lite/createTaskClient.js'
import type { JsonObject } from '../../core/protocol/json.js'
import type { Tool } from '../../core/protocol/tool.js'
import { VERSION } from '../../core/protocol/version.js'
import { isSettled } from '../../core/record/toolCallState.js'
import { type CallCard, createCallCard } from './callCard.js'
import { say } from './elements.js'
import { createToken } from './token.js'
import { addressOf, toolList, toolPanel } from './toolPanel.js'
import { statusOf } from './words.js'

const byId = (id: string) => document.getElementById(id) as HTMLElement
const token = createToken()
const client = createTaskClient({
  url: '/mcp',
  clientInfo: { name: 'taskwire-gateway-page', version: VERSION },
  capabilities: { sampling: {} },
  headers: token.headers,
})
const cards = new Map<string, CallCard>()
let tools: readonly Tool[] = []

async function open(): Promise<void> {
  say(byId('problem'), '')
  byId('retry').hidden = true
  try {
    tools = await client.listTools()
    await client.connect()
  } catch (error) {
    say(byId('summary'), '')
    if (isLocked(client.store.getState())) return askForToken()
    byId('retry').hidden = false
    say(byId('problem'), error instanceof Error ? error.message : String(error))
    return
  }
  byId('token').hidden = true
  say(
    byId('summary'),
    `${tools.length} ${tools.length === 1 ? 'tool' : 'tools'} at ${new URL('/mcp', location.href).href}`,
  )
  byId('list').replaceChildren(toolList(tools))
  showTool(false)
}

const isLocked = ({ connection }: TaskClientState) => connection.status === 'unauthorized'

function askForToken(): void {
  byId('token').hidden = false
  say(byId('problem'), token.isEntered() ? 'The gateway refuses this token.' : '')
}

function chosen(): Tool | undefined {
  return tools.find((tool) => addressOf(tool.name) === location.hash)
}

function showTool(isAsked: boolean): void {
  const tool = chosen()
  document.body.dataset['view'] = tool === undefined ? 'list' : 'tool'
  for (const link of byId('list').querySelectorAll('a')) {
    if (tool !== undefined && link.getAttribute('href') === addressOf(tool.name))
      link.setAttribute('aria-current', 'true')
    else link.removeAttribute('aria-current')
  }
  byId('hint').hidden = tool !== undefined
  byId('tool').replaceChildren(...(tool === undefined ? [] : toolPanel(tool, (args) => start(tool, args))))
  if (!isAsked) return
  scrollTo({ top: 0 })
  byId('tool').querySelector('h2')?.focus({ preventScroll: true })
}

/** With a key of its own: a page that is reloaded before the gateway has responded finds the call again. */
function start({ name }: Tool, args: JsonObject): void {
  const key = `${Date.now()}-${Math.random().toString(36).slice(2)}`
  const { callId } = client.startToolCall({ name, arguments: args }, { key })
  cards.get(callId)?.element.scrollIntoView({ block: 'nearest' })
}

function showCalls(): void {
  const { calls } = client.store.getState()
  const newest = Object.values(calls).sort((a, b) => b.startedAt - a.startedAt)
  for (const [callId, card] of cards) {
    if (callId in calls) continue
    card.remove()
    cards.delete(callId)
  }
  for (const [index, state] of newest.entries()) {
    const known = cards.get(state.callId)
    const card = known ?? createCallCard(client, state)
    cards.set(state.callId, card)
    card.update(state)
    const list = byId('calls')
    if (list.children[index] !== card.element) list.insertBefore(card.element, list.children[index] ?? null)
    // Of an earlier visit: a look at it fetches the outcome.
    if (state.phase === 'ended' && known === undefined) client.getToolCall(state.callId)
  }
  byId('none').hidden = newest.length > 0
}

byId('retry').addEventListener('click', () => void open())
token.onEntered(() => void open())
addEventListener('hashchange', () => showTool(true))
client.store.subscribe(showCalls)
// The gateway may have been started again, with another token.
client.store.subscribe((state, before) => isLocked(state) && !isLocked(before) && askForToken())
client.onToolCallSettled((call) => say(byId('news'), `${call.name}: ${statusOf(call)}`))
setInterval(() => {
  const { calls } = client.store.getState()
  for (const [callId, card] of cards) if (calls[callId] && !isSettled(calls[callId])) card.tick()
}, 1000)
showCalls()
void open()
