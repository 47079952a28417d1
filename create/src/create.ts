import { join, relative } from 'node:path'
import { CreateError } from './createError.js'
import { type Options, readOptions } from './options.js'
import { nextCommands } from './packageManager.js'
import type { Questions } from './questions.js'
import { checkTarget, type Target } from './target.js'
import { readTemplate, TEMPLATE_NAMES, TEMPLATES, type Template } from './templates.js'
import { writeApp } from './writeApp.js'

const DEFAULT_FOLDER = 'taskwire-app'

const HELP = `Usage: npm create taskwire [folder] -- [options]

Creates an app with a slow MCP tool, a page that calls it, typed tools and a test.

  --template, -t <name>   ${TEMPLATE_NAMES.map((name) => `${name} (${TEMPLATES[name]})`).join(' or ')}
  --yes, -y               ask nothing: ${DEFAULT_FOLDER} and ${TEMPLATE_NAMES[0]}, unless you pass others
  --help, -h  --version, -v

In a terminal, the command asks for what you do not pass. The folder must be empty or not there yet; nothing is overwritten.
Exit code: 0 created, 1 not created, 2 wrong arguments, 130 cancelled, 143 terminated.`

/** What the command takes from the process it runs in. */
export interface Surroundings {
  readonly cwd: string
  /** `npm_config_user_agent`. */
  readonly userAgent: string | undefined
  /** `npm_config_template` or `npm_config_t`, which npm sets where `--template` or `-t` does not stand after `--`. */
  readonly swallowedTemplate: string | undefined
  /** The folder with a folder for each template. */
  readonly templates: string
  readonly version: string
  /** `process.version`. */
  readonly nodeVersion: string
  /** Opens the questions; undefined if nobody is there to answer. */
  readonly openQuestions: (() => Questions) | undefined
  print(line: string): void
  warn(line: string): void
}

/** `npm create taskwire`: creates an app, and resolves to the exit code. */
export async function create(args: readonly string[], surroundings: Surroundings): Promise<number> {
  const { print, warn } = surroundings
  try {
    const options = readOptions(args, surroundings.swallowedTemplate)
    if (options.help) print(HELP)
    else if (options.version) print(surroundings.version)
    else await createApp(options, surroundings)
    return 0
  } catch (error) {
    if (!(error instanceof CreateError)) throw error
    warn(error.message)
    return error.exitCode
  }
}

async function createApp(options: Options, surroundings: Surroundings): Promise<void> {
  const { cwd, userAgent, templates, nodeVersion, print, warn } = surroundings
  const { target, template } = await choose(options, surroundings)
  writeApp(join(templates, template), target)
  const commands = nextCommands(relative(cwd, target.path), userAgent)
  const lines = commands.map((line) => `  ${line}`).join('\n')
  print(`\nCreated ${target.path} (${TEMPLATES[template]}). Now run:\n\n${lines}\n`)
  if (isTooOld(nodeVersion)) warn(`The app needs Node 20.19 or later, and this is ${nodeVersion}.`)
}

/** Without a word from us, `npm run dev` ends with a syntax error in a dependency. */
function isTooOld(nodeVersion: string): boolean {
  const [major = 0, minor = 0] = nodeVersion.slice(1).split('.').map(Number)
  return major < 20 || (major === 20 && minor < 19)
}

/** What was said on the command line, what a person answers, and otherwise the defaults. */
async function choose(
  { folder, template, yes }: Options,
  { cwd, openQuestions, warn }: Surroundings,
): Promise<{ target: Target; template: Template }> {
  // A folder that was named and cannot be taken ends the command: no question is asked for nothing.
  const named = folder === undefined ? undefined : checkTarget(folder, cwd)
  const isComplete = named !== undefined && template !== undefined
  const questions = yes || isComplete ? undefined : openQuestions?.()
  try {
    return {
      target: named ?? (await askTarget(questions, cwd, warn)),
      template: template ?? (await askTemplate(questions, warn)),
    }
  } finally {
    questions?.close()
  }
}

async function askTarget(questions: Questions | undefined, cwd: string, warn: (line: string) => void): Promise<Target> {
  if (questions === undefined) return checkTarget(DEFAULT_FOLDER, cwd)
  return askUntil(questions, `Folder of the app (${DEFAULT_FOLDER}): `, warn, (answer) =>
    checkTarget(answer || DEFAULT_FOLDER, cwd),
  )
}

async function askTemplate(questions: Questions | undefined, warn: (line: string) => void): Promise<Template> {
  const [first] = TEMPLATE_NAMES
  if (questions === undefined) return first
  const list = TEMPLATE_NAMES.map((name, index) => `  ${index + 1}  ${TEMPLATES[name]}`).join('\n')
  return askUntil(questions, `Template:\n${list}\nNumber or name (1): `, warn, (answer) =>
    readTemplate(TEMPLATE_NAMES[Number(answer || 1) - 1] ?? answer.toLowerCase()),
  )
}

/** Asks again for as long as the answer cannot be taken. */
async function askUntil<T>(
  questions: Questions,
  question: string,
  warn: (line: string) => void,
  read: (answer: string) => T,
): Promise<T> {
  for (;;) {
    const answer = await questions.ask(question)
    try {
      return read(answer)
    } catch (error) {
      if (!(error instanceof CreateError)) throw error
      warn(error.message)
    }
  }
}
