/** The page. What it shows comes by its script, as text. */
export const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Tasks</title>
<link rel="stylesheet" href="admin.css">
<script type="module" src="admin.js"></script>
<header>
  <h1>Tasks</h1>
  <form id="filter">
    <label>Status
      <select name="status">
        <option value="">any</option>
        <option>working</option>
        <option value="input_required">input required</option>
        <option>completed</option>
        <option>failed</option>
        <option>cancelled</option>
      </select>
    </label>
    <label>Tool <input name="tool" autocomplete="off" spellcheck="false"></label>
    <label>Owner <input name="owner" autocomplete="off" spellcheck="false"></label>
    <label>Older than
      <select name="age">
        <option value="">any age</option>
        <option value="60000">a minute</option>
        <option value="3600000">an hour</option>
        <option value="86400000">a day</option>
      </select>
    </label>
    <button>Show</button>
  </form>
</header>
<p id="problem" role="alert" hidden></p>
<main>
  <section aria-label="List of tasks">
    <table>
      <thead><tr><th>Status</th><th>Tool</th><th>Owner</th><th>Age</th><th>Starts</th></tr></thead>
      <tbody id="tasks"></tbody>
    </table>
    <p id="empty" hidden>No task fits.</p>
    <button id="more" hidden>Show older tasks</button>
  </section>
  <section id="detail" aria-label="Task" aria-live="polite"><p>Choose a task to see more.</p></section>
</main>
</html>
`

/** The look of the devtools. */
export const STYLES = `
:root {
  color-scheme: light dark;
  --canvas: light-dark(#ffffff, #15181d);
  --sunken: light-dark(#f1f3f6, #1b1f26);
  --line: light-dark(#dde1e7, #2b313b);
  --line-strong: light-dark(#8a93a2, #69727f);
  --text: light-dark(#171b22, #e8ebf0);
  --muted: light-dark(#555e6d, #a2abb9);
  --accent: light-dark(#3d57d6, #93a5ff);
  --accent-soft: light-dark(#dde3fb, #2c3766);
  --success: light-dark(#177245, #58c88f);
  --warning: light-dark(#8a5a00, #e0b04c);
  --danger: light-dark(#bb2d26, #ff8f87);
  font: 14px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif;
  color: var(--text);
  background: var(--canvas);
}
*, ::before, ::after { box-sizing: border-box; }
[hidden] { display: none !important; }
body { margin: 0; min-height: 100vh; display: flex; flex-direction: column; }
header { display: flex; flex-wrap: wrap; align-items: end; gap: 8px 24px; padding: 12px 16px; border-bottom: 1px solid var(--line); }
h1 { margin: 0; font-size: 18px; line-height: 32px; }
form { display: flex; flex-wrap: wrap; align-items: end; gap: 8px 12px; }
label { display: grid; gap: 2px; color: var(--muted); font-size: 12px; }
input, select, button { min-height: 32px; padding: 4px 10px; border: 1px solid var(--line-strong); border-radius: 6px; background: var(--canvas); color: var(--text); font: inherit; font-size: 14px; }
input { width: 160px; }
button { cursor: pointer; }
button:hover:not(:disabled) { background: var(--sunken); }
button:disabled { color: var(--muted); cursor: not-allowed; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
#problem { margin: 0; padding: 8px 16px; color: var(--danger); border-bottom: 1px solid var(--line); }
main { flex: 1; display: grid; grid-template-columns: minmax(0, 3fr) minmax(320px, 2fr); }
main > section:first-child { border-right: 1px solid var(--line); }
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
th { padding: 8px 16px; text-align: start; color: var(--muted); font-size: 12px; font-weight: 400; border-bottom: 1px solid var(--line); }
td { padding: 7px 16px; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
td:first-child { border-left: 3px solid var(--tone); color: var(--tone); white-space: nowrap; }
td:nth-child(2) { min-width: 15ch; }
td button { padding: 0; min-height: 24px; border: 0; background: none; color: var(--text); font-weight: 600; text-align: start; overflow-wrap: anywhere; }
th:nth-child(n + 4), td:nth-child(n + 4) { text-align: end; white-space: nowrap; }
tr[data-tone="active"], dd[data-tone="active"] { --tone: var(--accent); }
tr[data-tone="success"], dd[data-tone="success"] { --tone: var(--success); }
tr[data-tone="warning"], dd[data-tone="warning"] { --tone: var(--warning); }
tr[data-tone="danger"], dd[data-tone="danger"] { --tone: var(--danger); }
tr[data-tone="muted"], dd[data-tone="muted"] { --tone: var(--muted); }
tbody tr { cursor: pointer; }
tbody tr:hover { background: var(--sunken); }
tbody tr[aria-selected="true"] { background: var(--accent-soft); outline: 2px solid var(--accent); outline-offset: -2px; }
#empty { padding: 12px 16px; margin: 0; color: var(--muted); }
#more { margin: 12px 16px; }
#detail { padding: 12px 16px; }
#detail > p { margin: 0; color: var(--muted); }
h2 { margin: 0 0 8px; font-size: 16px; overflow-wrap: anywhere; }
dl { margin: 0 0 12px; }
dl > div { display: grid; grid-template-columns: 116px minmax(0, 1fr); gap: 8px; padding: 3px 0; }
dt { color: var(--muted); }
dd { margin: 0; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
dd[data-tone] { color: var(--tone); }
.actions { display: flex; gap: 8px; }
@media (pointer: coarse) { button, input, select { min-height: 44px; } td button { min-height: 30px; } }
@media (max-width: 760px) {
  main { grid-template-columns: minmax(0, 1fr); align-content: start; }
  main > section:first-child { border-right: 0; }
  #detail { position: sticky; bottom: 0; background: var(--canvas); border-top: 1px solid var(--line-strong); max-height: 60vh; overflow: auto; }
  label { flex: 1 1 40%; }
  input, select { width: 100%; }
  form, form > button { flex: 1 1 100%; }
  th, td { padding-inline: 8px; }
  td:first-child, th:first-child { padding-inline-start: 12px; }
  th:nth-child(5), td:nth-child(5) { display: none; }
  td:nth-child(3) { max-width: 76px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
}
`

/** The script. Everything that it shows of a task is set as text. */
export const SCRIPT = `
const byId = (id) => document.getElementById(id)
const form = byId('filter')
const rows = byId('tasks')
const detail = byId('detail')
const tones = { working: 'active', input_required: 'warning', completed: 'success', failed: 'danger', cancelled: 'muted' }
const units = [[86400000, 'd'], [3600000, 'h'], [60000, 'min'], [1000, 's']]
const watchMs = 1000
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
  if (!response.ok) throw new Error(answer.error ?? 'The server has answered with HTTP ' + response.status + '.')
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

function queryOf(next) {
  const { status, tool, owner, age } = Object.fromEntries(new FormData(form))
  const query = new URLSearchParams({ status, tool, owner })
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

async function list(next) {
  const page = await ask('tasks?' + queryOf(next))
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
    ['Waits for', task.openInputRequests.join(', ')],
    ['Owner', task.owner],
    ['Created', time(task.createdAt)],
    ['Last updated', time(task.lastUpdatedAt)],
    ['Kept until', ended || task.expiresAt === null ? time(task.expiresAt) : undefined],
    ['Claimed until', task.leaseUntil && !task.isWaiting ? time(task.leaseUntil) : undefined],
    ['Starts', String(task.attempt)],
    ['Cancellation', task.cancelRequested && !ended ? 'asked for' : undefined],
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
      await list()
      draw(task)
    }),
  )
  return button
}

/** Draws anew, and leaves the focus where it was. */
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
  for (const row of rows.children) if (row.dataset.task === chosen) update(row, task)
  const actions = make('div', undefined, [
    action('Cancel', 'cancel', isOpen(task) && !task.cancelRequested, task.taskId),
    action('Run again', 'run-again', task.canRunAgain, task.taskId),
  ])
  actions.className = 'actions'
  redraw(detail, [words(make('h2'), task.tool), facts(task), actions])
}

function update(row, task) {
  row.dataset.tone = tones[task.status]
  redraw(row, [...rowOf(task).children])
}

async function show(taskId) {
  draw(await ask('open', { taskId }))
}

/** Follows the task that is chosen until it is over: a handler takes a moment to stop. */
async function watch(taskId) {
  try {
    const task = document.hidden ? undefined : await ask('open', { taskId })
    if (taskId !== chosen) return
    if (task !== undefined) return draw(task)
  } catch {
    // It is asked again; what an operator does says what is wrong.
  }
  if (taskId === chosen) timer = setTimeout(watch, watchMs, taskId)
}

form.addEventListener('submit', (event) => {
  event.preventDefault()
  attempt(() => list())
})
byId('more').addEventListener('click', () => attempt(() => list(cursor)))
attempt(() => list())
`
