/** What one group of rows has measured. */
export interface Table {
  readonly title: string
  /** What was done, and what the figures are. */
  readonly note: string
  readonly columns: readonly string[]
  readonly rows: readonly Row[]
}

export interface Row {
  readonly cells: readonly string[]
  readonly goal?: Goal
}

export interface Goal {
  readonly text: string
  readonly isMet: boolean
  /** What stands in the way and what was tried, for the report of a goal that is missed. */
  readonly limit?: string
}

/** The middle value. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

export function atMost(most: number, value: number, limit?: string): Goal {
  return { text: `at most ${most} ×`, isMet: value <= most, ...(limit !== undefined && { limit }) }
}

export function below(bound: number, value: number, of: string, limit?: string): Goal {
  return { text: `under ${bound} × ${of}`, isMet: value < bound, ...(limit !== undefined && { limit }) }
}

/** Three digits of a figure; in words where there is none, because measuring it took too long. */
export function figure(value: number): string {
  if (Number.isNaN(value)) return 'gave up'
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3)
}

export function times(ratio: number): string {
  return Number.isNaN(ratio) ? 'gave up' : `${ratio.toFixed(2)} ×`
}

/** The table in Markdown, which reads well in a terminal, too. */
export function markdown({ title, note, columns, rows }: Table): string {
  const verdict = ({ goal }: Row) => (goal === undefined ? ['', ''] : [goal.text, goal.isMet ? 'yes' : '**no**'])
  const lines = [[...columns, 'goal', 'met'], ...rows.map((row) => [...row.cells, ...verdict(row)])]
  const widths = [...columns, 'goal', 'met'].map((_, at) => Math.max(...lines.map((cells) => cells[at]?.length ?? 0)))
  /** The first column begins at the left, the others end at the right. */
  const pad = (text: string, at: number) => (at === 0 ? text.padEnd(widths[at] ?? 0) : text.padStart(widths[at] ?? 0))
  const rule = widths.map((width, at) => (at === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`))
  const [head = [], ...body] = lines.map((cells) => cells.map(pad))
  const table = [head, rule, ...body].map((cells) => `| ${cells.join(' | ')} |`)
  return [`## ${title}`, '', note, '', ...table, ''].join('\n')
}

/** The rows whose goal was missed, as a list; the empty string where there is none. */
export function missed(tables: readonly Table[]): string {
  const lines = tables.flatMap(({ title, rows }) =>
    rows.flatMap(({ cells: [name], goal }) =>
      goal === undefined || goal.isMet
        ? []
        : [`- ${title}: ${name} (goal: ${goal.text}). ${goal.limit ?? ''}`.trimEnd()],
    ),
  )
  return lines.length === 0 ? '' : ['## Goals missed', '', ...lines, ''].join('\n')
}
