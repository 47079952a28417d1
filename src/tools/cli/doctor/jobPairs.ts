import { isJsonObject, type JsonObject } from '../../../core/protocol/json.js'

/** A tool that starts work and one that says how it stands, as far as their names and schemas tell. */
export interface JobPair {
  readonly start: string
  readonly status: JobPairTool
  readonly cancel: JobPairTool | undefined
  readonly result: JobPairTool | undefined
  /** The field of the start tool's result that holds the id. */
  readonly id: string
  /** The field of the status tool's result that holds the status. */
  readonly field: string
}

/** A tool, and under which name it takes the id. */
export interface JobPairTool {
  readonly name: string
  readonly idArgument: string
  /** What it requires beside the id: the call has the same. */
  readonly others: readonly string[]
  /** What an `action` has to be, where one tool does everything. */
  readonly action: { readonly name: string; readonly value: string } | undefined
}

interface ToolSeen {
  readonly name: string
  readonly words: readonly string[]
  readonly description: string
  readonly properties: JsonObject
  readonly required: readonly string[]
  readonly output: readonly string[]
}

const STATUS = new Set(['status', 'state', 'poll', 'progress', 'check', 'describe', 'inspect'])
const START = new Set(
  'start run create generate submit enqueue queue launch execute trigger deploy render begin schedule train build import export research crawl scan analyze convert transcribe'.split(
    ' ',
  ),
)
const CANCEL = new Set(['cancel', 'stop', 'abort', 'kill', 'terminate', 'interrupt'])
const RESULT = new Set(['result', 'results', 'output', 'outputs', 'download'])
/** What may be done with anything. */
const VERBS = new Set('start run create generate submit enqueue queue launch execute trigger begin schedule'.split(' '))
/** Words that say nothing of what a tool is about. */
const EMPTY = new Set(['get', 'fetch', 'read', 'the', 'a', 'of', 'for', 'by', 'id', 'mcp', 'tool', 'async'])
/** What jobs are called where a server has one status tool for all. */
const GENERIC = new Set(['job', 'jobs', 'task', 'tasks', 'run', 'runs', 'execution', 'operation', 'request'])

/** The pairs among the tools of a server, each start tool once. */
export function findJobPairs(listed: readonly unknown[]): JobPair[] {
  const tools = listed.flatMap(seenTool)
  const statusTools = tools.flatMap((tool) => asked(tool, STATUS) ?? [])
  return tools.flatMap((start) => {
    const isFollower = statusTools.some(({ tool }) => tool === start) || start.words.some((word) => CANCEL.has(word))
    if (isFollower || !start.words.some((word) => START.has(word))) return []
    const [best] = statusTools
      .map((status) => ({ status, points: pointsOf(start, status) }))
      .filter(({ points }) => points > 0)
      .sort((a, b) => b.points - a.points)
    return best === undefined ? [] : [pairOf(start, best.status, tools)]
  })
}

interface Asked {
  readonly tool: ToolSeen
  readonly as: JobPairTool
}

function pairOf(start: ToolSeen, { tool, as }: Asked, tools: readonly ToolSeen[]): JobPair {
  const ids = idsOf(start.output)
  const others = tools.filter((one) => one !== start)
  const sibling = (words: ReadonlySet<string>) =>
    others
      .filter((one) => one === tool || !asked(one, STATUS))
      .flatMap((one) => asked(one, words) ?? [])
      .find((one) => one.tool === tool || isAbout(one.tool, start) || isAbout(one.tool, tool))?.as
  return {
    start: start.name,
    status: as,
    cancel: sibling(CANCEL),
    result: sibling(RESULT),
    id: ids.includes(as.idArgument) ? as.idArgument : (ids[0] ?? as.idArgument),
    field: ['status', 'state', 'phase'].find((name) => tool.output.includes(name)) ?? 'status',
  }
}

/** The tool as one of this kind, if it takes an id: by a word in its name, or by a value of its `action`. */
function asked(tool: ToolSeen, words: ReadonlySet<string>): Asked | undefined {
  const [idArgument] = idsOf(Object.keys(tool.properties)).sort(
    (a, b) => Number(tool.required.includes(b)) - Number(tool.required.includes(a)),
  )
  if (idArgument === undefined) return undefined
  const action = Object.entries(tool.properties).flatMap(([name, schema]) => {
    const values = isJsonObject(schema) && Array.isArray(schema['enum']) ? schema['enum'] : []
    const value = values.find((one) => typeof one === 'string' && words.has(one))
    return typeof value === 'string' ? [{ name, value }] : []
  })[0]
  if (action === undefined && !tool.words.some((word) => words.has(word))) return undefined
  const others = tool.required.filter((name) => name !== idArgument && name !== action?.name)
  return { tool, as: { name: tool.name, idArgument, others, action } }
}

/** How much speaks for it that these two belong together; 0: nothing. */
function pointsOf(start: ToolSeen, { tool, as }: Asked): number {
  // The call must have what the status tool requires beside the id.
  if (!as.others.every((name) => name in start.properties)) return 0
  if (start.required.includes(as.idArgument)) return 0
  const mentions = start.description.includes(tool.name) || tool.description.includes(start.name) ? 8 : 0
  const givesId = start.output.includes(as.idArgument) || start.description.includes(as.idArgument) ? 4 : 0
  const shared = isAbout(tool, start) ? 2 : 0
  const isGeneric = givesId > 0 && tool.words.some((word) => GENERIC.has(word)) ? 1 : 0
  return mentions + shared === 0 && isGeneric === 0 ? 0 : mentions + givesId + shared + isGeneric
}

function isAbout(a: ToolSeen, b: ToolSeen): boolean {
  const said = topics(b)
  return topics(a).some((word) => said.includes(word))
}

/** What a tool is about, as its name says it. */
function topics({ words }: ToolSeen): string[] {
  const own = words.filter((word) => !STATUS.has(word) && !CANCEL.has(word) && !RESULT.has(word) && !EMPTY.has(word))
  const telling = own.filter((word) => !VERBS.has(word))
  return (telling.length > 0 ? telling : own).map((word) => word.replace(/s$/, ''))
}

function idsOf(names: readonly string[]): string[] {
  return names.filter((name) => /^(id|uuid)$|._(id|uuid)$|[a-z](Id|ID)$/.test(name))
}

function seenTool(tool: unknown): ToolSeen[] {
  if (!isJsonObject(tool) || typeof tool['name'] !== 'string') return []
  const { name, description, inputSchema, outputSchema } = tool
  const { properties, required } = isJsonObject(inputSchema) ? inputSchema : {}
  const { properties: output } = isJsonObject(outputSchema) ? outputSchema : {}
  return [
    {
      name,
      words: name
        .replace(/([a-z\d])([A-Z])/g, '$1_$2')
        .toLowerCase()
        .split(/[^a-z\d]+/),
      description: typeof description === 'string' ? description : '',
      properties: isJsonObject(properties) ? properties : {},
      required: Array.isArray(required) ? required.filter((one) => typeof one === 'string') : [],
      output: isJsonObject(output) ? Object.keys(output) : [],
    },
  ]
}
