// The table of what an hour of a watched call costs is that of test/budgets/budgets.json, which a test holds. It stands between
// `<!-- budgets -->` and `<!-- /budgets -->`.

const place = /(<!-- budgets -->\n\n).*?(\n\n<!-- \/budgets -->)/gs

/** @typedef {'requests' | 'polls' | 'bytes' | 'writes' | 'messages' | 'wakeUps' | 'timersSet' | 'renders'} Counted */

/** @type {readonly (readonly [title: string, cell: (cost: Record<Counted, number>) => string])[]} */
const columns = [
  ['requests', ({ requests }) => requests.toLocaleString('en')],
  ['kB', ({ bytes }) => (bytes / 1000).toLocaleString('en', { minimumFractionDigits: 1, maximumFractionDigits: 1 })],
  ['wake-ups', ({ wakeUps }) => wakeUps.toLocaleString('en')],
  ['writes', ({ writes }) => writes.toLocaleString('en')],
  ['messages', ({ messages }) => messages.toLocaleString('en')],
  ['renders', ({ renders }) => (renders === 0 ? '' : renders.toLocaleString('en'))],
]

/**
 * @param {string} markdown
 * @param {Record<string, Record<Counted, number>>} budgets by the name of the scenario
 * @returns {{ text: string, problems: string[] }} the document as it should be, and what is wrong with the one that is there
 */
export function checkBudgets(markdown, budgets) {
  const rows = Object.entries(budgets).map(([name, cost]) => [name, ...columns.map(([, cell]) => cell(cost))])
  const right = tableOf([['an hour of a watched call', ...columns.map(([title]) => title)], ...rows])
  const text = markdown.replace(place, (_, start, end) => start + right + end)
  const problem = 'the table of budgets differs from test/budgets/budgets.json: npm run docs:write.'
  return { text, problems: text === markdown ? [] : [problem] }
}

/** @param {string[][]} rows */
export function tableOf(rows) {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const line = (/** @type {string[]} */ row) =>
    `| ${row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0))).join(' | ')} |`
  const rule = widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`))
  const [head = [], ...body] = rows
  return [line(head), line(rule), ...body.map(line)].join('\n')
}
