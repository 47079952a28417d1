/** A Markdown table as the formatter leaves it: the first column left, the others right. */
export function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const texts = rows.map((row) => row.map((cell) => (typeof cell === 'string' ? cell : cell.toLocaleString('en'))))
  const widths = head.map((name, column) => Math.max(name.length, ...texts.map((row) => row[column]?.length ?? 0)))
  const line = (cells: readonly string[]) => {
    const padded = cells.map((cell, column) => {
      const width = widths[column] ?? 0
      return column === 0 ? cell.padEnd(width) : cell.padStart(width)
    })
    return `| ${padded.join(' | ')} |`
  }
  const rule = widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`))
  return [line(head), line(rule), ...texts.map(line)].join('\n')
}
