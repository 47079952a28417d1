import { clean } from '../clean.js'
import type { JobPair, JobPairTool } from './jobPairs.js'

/** The lines of `defineJob` for these pairs, with what is left to be checked. */
export function jobLines(pairs: readonly JobPair[]): string {
  const count = pairs.length === 1 ? 'A pair of tools' : `${pairs.length} pairs of tools`
  return [
    `${count} can be called as one: a tool that starts work, and one that returns its status.`,
    'Compare the paths of the id and the status with what the tools return.',
    '',
    "import { byStatusField, defineJob } from 'taskwire/jobs'",
    '',
    'export const jobs = [',
    ...pairs.flatMap(definition),
    ']',
    '',
    'Pass them to the client: createTaskClient({ url, jobs })',
  ].join('\n')
}

function definition({ start, status, cancel, result, id, field }: JobPair): string[] {
  const isPlain = status.others.length === 0
  const toolOf = (tool: JobPairTool) => (isPlain ? own(tool, id) : several(tool, status))
  return [
    '  defineJob({',
    `    start: ${quoted(start)},`,
    `    status: ${isPlain ? own(status, id) : quoted(status.name)},`,
    ...(cancel === undefined ? [] : [`    cancel: ${toolOf(cancel)},`]),
    ...(result === undefined ? [] : [`    result: ${toolOf(result)},`]),
    `    id: ${isPlain ? quoted(id) : parts(status, id)},`,
    `    read: byStatusField(${quoted(field)}),`,
    '  }),',
  ]
}

function own({ name, idArgument, action }: JobPairTool, id: string): string {
  if (action === undefined && idArgument === id) return quoted(name)
  const fixed = action === undefined ? '' : `${key(action.name)}: ${quoted(action.value)}, `
  return `{ tool: ${quoted(name)}, arguments: (id) => ({ ${fixed}${key(idArgument)}: id }) }`
}

/** The id is all arguments of the status tool. Another tool takes some of them, or under other names. */
function several(tool: JobPairTool, status: JobPairTool): string {
  const isSame = tool.idArgument === status.idArgument && tool.others.join() === status.others.join()
  if (isSame && tool.action === undefined) return quoted(tool.name)
  const fixed = tool.action === undefined ? '' : `${key(tool.action.name)}: ${quoted(tool.action.value)}, `
  const others = tool.others.map((name) => `${key(name)}: ${member('id', name)}, `).join('')
  const value = member('id', status.idArgument)
  return `{ tool: ${quoted(tool.name)}, arguments: (id) => ({ ${fixed}${others}${key(tool.idArgument)}: ${value} }) }`
}

function parts({ idArgument, others, action }: JobPairTool, id: string): string {
  const fixed = action === undefined ? '' : `${key(action.name)}: ${quoted(action.value)}, `
  const kept = others.map((name) => `${key(name)}: ${member('args', name)}, `).join('')
  return `({ structuredContent }, args) => ({ ${fixed}${kept}${key(idArgument)}: ${member('structuredContent', id)} })`
}

/** Names come from the server: nothing of them may end the text that they stand in. */
function quoted(name: string): string {
  const said = clean(name).slice(0, MAX_NAME)
  return /^[\w./ -]*$/.test(said) ? `'${said}'` : JSON.stringify(said)
}

function member(of: string, name: string): string {
  return isIdentifier(name) ? `${of}.${name}` : `${of}[${quoted(name)}]`
}

function key(name: string): string {
  return isIdentifier(name) ? name : quoted(name)
}

function isIdentifier(name: string): boolean {
  return /^[A-Za-z_]\w*$/.test(name) && name.length <= MAX_NAME
}

const MAX_NAME = 128
