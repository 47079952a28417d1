// The sizes in the documentation are the budgets of size.json, which `npm run size` holds: a page ships at most so much.
// Between `<!-- sizes: NAME, NAME -->` and `<!-- /sizes -->` stands a table of those that are named, after `sizes: all` of every one.

const table = /<!-- sizes: (?<names>[^>]*?) -->\n(?<rows>.*?)<!-- \/sizes -->/gs

/**
 * @param {string} markdown
 * @param {Record<string, number>} budgets in bytes
 * @returns {{ text: string, problems: string[] }} the document as it should be, and what is wrong with the one that is there
 */
export function checkSizes(markdown, budgets) {
  /** @type {string[]} */
  const problems = []
  const text = markdown.replace(table, (whole, list) => {
    const names = list === 'all' ? Object.keys(budgets) : String(list).split(', ')
    const unknown = names.filter((name) => budgets[name] === undefined)
    if (unknown.length > 0) {
      problems.push(...unknown.map((name) => `size.json has no ${name}.`))
      return whole
    }
    const cells = names.map((name) => [nameOf(name), `${(Math.ceil((budgets[name] ?? 0) / 100) / 10).toFixed(1)} kB`])
    const right = `<!-- sizes: ${list} -->\n\n${tableOf([['minified, gzipped', 'at most'], ...cells])}\n<!-- /sizes -->`
    if (right !== whole) problems.push('the table of sizes differs from size.json: npm run docs:write.')
    return right
  })
  return { text, problems }
}

const nameOf = (/** @type {string} */ name) => name.replace(/taskwire\S*|createTaskClient|withTasks/, '`$&`')

/** @param {string[][]} rows */
function tableOf(rows) {
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => (row[column] ?? '').length)))
  const line = (/** @type {string[]} */ [name = '', size = '']) =>
    `| ${name.padEnd(widths[0] ?? 0)} | ${size.padStart(widths[1] ?? 0)} |`
  const [head = [], ...body] = rows
  const rule = `| ${'-'.repeat(widths[0] ?? 0)} | ${'-'.repeat((widths[1] ?? 1) - 1)}: |`
  return [line(head), rule, ...body.map(line), ''].join('\n')
}
