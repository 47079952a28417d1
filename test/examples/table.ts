/** How long something took that began at this time, in words. */
export function secondsSince(start: number): string {
  return `${((Date.now() - start) / 1000).toFixed(1)} s`
}

/** Rows with the same columns as a table of Markdown. */
export function formatTable(rows: readonly Readonly<Record<string, string>>[]): string {
  const columns = Object.keys(rows[0] ?? {})
  const cells = [Object.fromEntries(columns.map((name) => [name, name])), ...rows]
  const width = (name: string) => Math.max(...cells.map((row) => row[name]?.length ?? 0))
  const line = (row: Readonly<Record<string, string>>) =>
    `| ${columns.map((name) => (row[name] ?? '').padEnd(width(name))).join(' | ')} |`
  const [head = '', ...body] = cells.map(line)
  return [head, `| ${columns.map((name) => '-'.repeat(width(name))).join(' | ')} |`, ...body].join('\n')
}
