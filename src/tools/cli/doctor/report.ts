import type { Finding } from '../../diagnose/check.js'
import { corsChecks } from '../../diagnose/corsChecks.js'
import type { CheckOutcome, Diagnosis } from '../../diagnose/judge.js'
import type { Page, Poll, TaskRun } from '../../diagnose/observed.js'
import { clean } from '../clean.js'

const NAMES: Readonly<Record<keyof NonNullable<Finding['lines']>, string>> = {
  taskwire: 'Taskwire',
  express: 'Express',
  hono: 'Hono',
  fastmcp: 'FastMCP',
  nginx: 'nginx',
}

/** A diagnosis as text for people. */
export function report(diagnosis: Diagnosis, page: Page | undefined): string {
  const { url, server, findings, checks, run, unasked } = diagnosis
  const lines: string[] = []
  if (run !== undefined) lines.push(outcomeOf(run), '')
  const who = server && `MCP ${server.revision}, tasks: ${server.servesTasks ? 'yes' : 'no'}`
  lines.push([clean(url), server?.name && clean(server.name), who].filter(Boolean).join(' · '), '')
  if (unasked !== 'unreachable') lines.push(...checks.filter(isTold).map(checked), notTold(checks), '')
  for (const finding of findings) lines.push(...described(finding), '')
  lines.push(...notes(diagnosis, page))
  if (unasked === 'credentials') {
    lines.push("It asks for credentials. Pass them to run the other checks: --header 'Authorization: Bearer …'")
  }
  if (unasked === 'forbidden') {
    lines.push('It refuses access with HTTP 403: check the credentials, and which hosts and origins it allows.')
  }
  if (unasked === undefined || findings.length > 0) lines.push(summary(findings, page))
  return lines.join('\n')
}

const isTold = ({ outcome }: CheckOutcome) => outcome !== 'not told'

const checked = ({ id, title, outcome }: CheckOutcome) => `  ${outcome === 'ok' ? 'ok' : '!!'} ${title} (${id})`

function notTold(checks: readonly CheckOutcome[]): string {
  const rest = checks.filter((check) => !isTold(check))
  return `  -- skipped: ${rest.map(({ id }) => id).join(', ')}`
}

function described({ check, problem, remedy, lines = {} }: Finding): string[] {
  const fixes = Object.entries(NAMES).flatMap(([place, name]) => {
    const line = lines[place as keyof typeof lines]
    return line === undefined ? [] : [`   ${name.padEnd(8)} ${clean(line)}`]
  })
  return [`!! ${check}: ${clean(problem)}`, `   ${clean(remedy)}`, ...fixes]
}

function notes({ checks, findings, unasked }: Diagnosis, page: Page | undefined): string[] {
  const isUntold = checks.some(({ id, outcome }) => id === 'preflight' && outcome === 'not told')
  const isEndpoint = findings.every(({ check }) => check !== 'redirect' && check !== 'mcp')
  if (!isUntold || !isEndpoint || page === undefined || unasked === 'unreachable') return []
  return ['This is as it should be if the app has the same origin as the server.']
}

function summary(findings: readonly Finding[], page: Page | undefined): string {
  const count = findings.length
  const found = count === 0 ? 'Nothing found' : `${count} ${count === 1 ? 'finding' : 'findings'}`
  if (!page?.isAssumed) return `${found}.`
  const isAboutCors = findings.some(({ check }) => corsChecks.some(({ id }) => id === check))
  const checked = isAboutCors
    ? `No --origin was given, so CORS was checked for a page of ${page.origin}.`
    : 'CORS was not checked because no --origin was given.'
  const rest = `${checked} Pass that of the app: --origin https://app.example`
  return `${count === 0 ? 'No findings in the checks that ran' : found}. ${rest}`
}

/** The head of the table of polls. */
export function pollHead(tool: string): string {
  return `Polls of "${clean(tool)}"\n${row('at', 'took', 'status', 'interval', 'message')}`
}

/** A poll as a row of it. */
export function pollRow({ atMs, tookMs, status, pollIntervalMs, statusMessage }: Poll): string {
  const interval = pollIntervalMs === undefined ? '' : `${pollIntervalMs} ms`
  return row(`${(atMs / 1000).toFixed(1)} s`, `${Math.round(tookMs)} ms`, status ?? '', interval, statusMessage ?? '')
}

function row(at: string, took: string, status: string, interval: string, message: string): string {
  return `${at.padStart(9)} ${took.padStart(8)}  ${status.padEnd(14)} ${interval.padStart(9)}  ${clean(message)}`.trimEnd()
}

function outcomeOf({ tool, outcome, detail, toolError, polls }: TaskRun): string {
  const name = `"${clean(tool)}"`
  if (outcome === 'result') {
    return detail === undefined
      ? `${name} answered at once, without a task.`
      : `${name} failed at once: ${clean(detail)}`
  }
  if (outcome === 'asks') {
    return polls.length === 0
      ? `${name} asks for input before it has a task, which only an app can give.`
      : `The task of ${name} asks for input, which only an app can give: it was cancelled.`
  }
  if (outcome === 'completed' && toolError !== undefined) {
    return `The task of ${name}: completed, with an error of the tool (${clean(toolError)}), after ${countOf(polls)}.`
  }
  return `The task of ${name}: ${outcome}${detail === undefined ? '' : ` (${clean(detail)})`}, after ${countOf(polls)}.`
}

function countOf({ length }: TaskRun['polls']): string {
  return `${length} ${length === 1 ? 'poll' : 'polls'}`
}
