/** The script. Everything that it shows of a task is set as text. */
export const SCRIPT = `
const byId = (id) => document.getElementById(id)
const form = byId('filter')
const rows = byId('tasks')
const detail = byId('detail')
const tones = { working: 'active', input_required: 'warning', completed: 'success', failed: 'danger', cancelled: 'muted' }
const units = [[86400000, 'd'], [3600000, 'h'], [60000, 'min'], [1000, 's']]
const watchMs = 1000
const pageSize = 50
const longestPage = 500
let cursor
let chosen
let shown
let timer

function make(name, text, children = []) {
  const element = document.createElement(name)
  if (text !== undefined) element.textContent = text
  element.append(...children)
  return element
}

/** A name that breaks where its words end. */
function words(element, name) {
  const parts = name.split(/(?<=[_.-])/)
  element.append(...parts.flatMap((part, index) => (index === 0 ? [part] : [document.createElement('wbr'), part])))
  return element
}

function duration(ms) {
  const [size, unit] = units.find(([size]) => ms >= size) ?? [1000, 's']
  return Math.max(0, Math.floor(ms / size)) + ' ' + unit
}

const time = (at) => (at === null ? 'never' : new Date(at).toLocaleString())
const statusOf = ({ status, isWaiting }) => (isWaiting ? 'waiting' : status.replace('_', ' '))

function say(problem) {
  byId('problem').hidden = problem === undefined
  byId('problem').textContent = problem ?? ''
}

async function ask(path, body) {
  const init = body && { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }
  const response = await fetch(path, { ...init, credentials: 'same-origin' })
  const answer = await response.json().catch(() => ({}))
  if (!response.ok) throw new Error(answer.error ?? 'The server answered with HTTP ' + response.status + '.')
  return answer
}

async function attempt(work) {
  try {
    say(undefined)
    await work()
  } catch (error) {
    say(error instanceof TypeError ? 'The server cannot be reached.' : error.message)
  }
}

function queryOf(next, count) {
  const { status, tool, owner, age } = Object.fromEntries(new FormData(form))
  const query = new URLSearchParams({ status, tool, owner, limit: String(count) })
  if (age !== '') query.set('createdBefore', String(Date.now() - Number(age)))
  if (next !== undefined) query.set('cursor', next)
  return query
}

function rowOf(task) {
  const open = words(make('button'), task.tool)
  const cells = [statusOf(task), undefined, task.owner || '–', duration(Date.now() - task.createdAt), String(task.attempt)]
  const row = make('tr', undefined, cells.map((text, index) => make('td', text, index === 1 ? [open] : [])))
  row.dataset.tone = tones[task.status]
  row.dataset.task = task.taskId
  row.setAttribute('aria-selected', String(task.taskId === chosen))
  row.addEventListener('click', () => attempt(() => show(task.taskId)))
  return row
}

async function list(next, count = pageSize) {
  const page = await ask('tasks?' + queryOf(next, count))
  if (next === undefined) rows.replaceChildren()
  rows.append(...page.tasks.map(rowOf))
  cursor = page.cursor
  byId('more').hidden = cursor === undefined
  byId('empty').hidden = rows.childElementCount > 0
}

function facts(task) {
  const ended = ['completed', 'failed', 'cancelled'].includes(task.status)
  const all = [
    ['Status', statusOf(task)],
    ['Message', task.error?.message ?? task.statusMessage],
    ['Error code', task.error && String(task.error.code)],
    ['Input requests', task.openInputRequests.join(', ')],
    ['Owner', task.owner],
    ['Created', time(task.createdAt)],
    ['Last updated', time(task.lastUpdatedAt)],
    ['Kept until', ended || task.expiresAt === null ? time(task.expiresAt) : undefined],
    ['Lease until', task.leaseUntil && !task.isWaiting ? time(task.leaseUntil) : undefined],
    ['Attempts', String(task.attempt)],
    ['Cancellation', task.cancelRequested && !ended ? 'requested' : undefined],
    ['Task id', task.taskId],
  ]
  const shown = all.filter(([, value]) => value)
  const list = make('dl', undefined, shown.map(([name, value]) => make('div', undefined, [make('dt', name), make('dd', value)])))
  list.querySelector('dd').dataset.tone = tones[task.status]
  return list
}

function action(name, path, isAllowed, taskId) {
  const button = make('button', name)
  button.disabled = !isAllowed
  button.addEventListener('click', () =>
    attempt(async () => {
      button.disabled = true
      const task = await ask(path, { taskId })
      // As many as before, so that the operator keeps the place.
      await list(undefined, Math.min(Math.max(rows.childElementCount, pageSize), longestPage))
      draw(task)
    }),
  )
  return button
}

/** Replaces what an element shows, and keeps the focus on the button of the same place. */
function redraw(part, next) {
  const buttons = [...part.querySelectorAll('button')]
  const focused = buttons.indexOf(document.activeElement)
  part.replaceChildren(...next)
  part.querySelectorAll('button')[focused]?.focus()
}

const isOpen = ({ status }) => status === 'working' || status === 'input_required'

function draw(task) {
  chosen = task.taskId
  clearTimeout(timer)
  if (isOpen(task)) timer = setTimeout(watch, watchMs, task.taskId)
  for (const row of rows.children) row.setAttribute('aria-selected', String(row.dataset.task === chosen))
  const state = JSON.stringify(task)
  if (shown === state) return
  shown = state
  const row = rowOfChosen()
  if (row !== undefined) update(row, task)
  const actions = make('div', undefined, [
    action('Cancel', 'cancel', isOpen(task) && !task.cancelRequested, task.taskId),
    action('Run again', 'run-again', task.canRunAgain, task.taskId),
  ])
  const close = make('button', 'Close')
  close.addEventListener('click', leave)
  actions.append(close)
  actions.className = 'actions'
  redraw(detail, [words(make('h2'), task.tool), facts(task), actions])
}

function rowOfChosen() {
  return [...rows.children].find((row) => row.dataset.task === chosen)
}

/** Closes the details, and gives the focus back to the row that they were opened from. */
function leave() {
  const row = rowOfChosen()
  clearTimeout(timer)
  chosen = undefined
  shown = undefined
  row?.setAttribute('aria-selected', 'false')
  row?.querySelector('button').focus()
  detail.replaceChildren(make('p', 'Select a task to see its details.'))
}

function update(row, task) {
  row.dataset.tone = tones[task.status]
  redraw(row, [...rowOf(task).children])
}

/** The buttons of the details are the next ones then, not those of all rows that follow. */
async function show(taskId) {
  draw(await ask('open', { taskId }))
  detail.focus({ preventScroll: true })
}

/** Polls the selected task until it has ended: a cancelled handler takes a moment to stop. */
async function watch(taskId) {
  try {
    const task = document.hidden ? undefined : await ask('open', { taskId })
    if (taskId !== chosen) return
    if (task !== undefined) return draw(task)
  } catch {
    // The next poll may succeed. Errors are shown when the operator clicks something.
  }
  if (taskId === chosen) timer = setTimeout(watch, watchMs, taskId)
}

document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape' && detail.contains(document.activeElement)) leave()
})
form.addEventListener('submit', (event) => {
  event.preventDefault()
  attempt(() => list())
})
byId('more').addEventListener('click', () => attempt(() => list(cursor)))
attempt(() => list())
`
