import type { CallToolResult } from '../protocol/callToolResult.js'
import type { Register } from '../protocol/register.js'

/** The tools of a server without declared types. */
export type AnyTools = Record<string, { arguments?: object | undefined; structuredContent?: unknown }>

/** The tools that a type carries: a `TaskClient`, or a `TaskServer` with tools from `defineTool`. */
export interface WithTools<T> {
  /** Exists in types only. There is no such member at run time. */
  readonly '~tools'?: T
}

/** The tools of the client that the app declares in `Register`. */
export type RegisteredTools = Register extends { client: infer C }
  ? [C] extends [IntersectionOf<C>]
    ? ToolsOf<C>
    : { 'Register has one client. Pass the others to the hooks: useToolCall({ client, … })': { arguments?: object } }
  : AnyTools

/** Of the members of a union. A union is not assignable to the intersection of its members, so `Register` names one client. */
type IntersectionOf<Union> = (Union extends unknown ? (each: Union) => void : never) extends (all: infer All) => void
  ? All
  : never

/** The tools that a type parameter of `createTaskClient` stands for: `Tools` of `npx taskwire types`, or `typeof server`. */
export type ToolsOf<T> = string extends keyof T
  ? AnyTools
  : '~tools' extends keyof T
    ? Exclude<T['~tools'], undefined>
    : { [Name in keyof T]: T[Name] }

/** The names of the tools. */
export type ToolName<T = RegisteredTools> = keyof T & string

/** The arguments of a tool. */
export type ToolArguments<T = RegisteredTools, Name extends ToolName<T> = ToolName<T>> = T[Name] extends {
  arguments?: infer A
}
  ? A
  : object | undefined

/** The member `arguments` of a call, which may be left out if no argument is required. */
export type WithArguments<A, Other = never> =
  Record<never, never> extends A ? { arguments?: A | Other | undefined } : { arguments: A | Other }

/**
 * The type of `structuredContent` before `isError` is checked. With `isError: true`, the content is any JSON and need not
 * follow the output schema. After a check that `isError` is not true, it has the type of the output.
 *
 * @example
 * ```ts
 * const data = await client.callTool({ name: 'report', arguments: { quarter: 'Q3' } })
 * if (!data.isError) console.log(data.structuredContent)
 * ```
 */
export interface CheckIsErrorFirst {
  /** Exists in types only. There is no such member at run time. */
  readonly '~isError'?: never
}

/**
 * A tool's result with its `structuredContent` typed by an output schema. An error of the tool itself has `isError: true`:
 * check `isError` before you read `structuredContent`.
 */
export type ToolOutput<T> =
  | (Omit<CallToolResult, 'structuredContent' | 'isError'> & { isError?: false | undefined; structuredContent: T })
  | (Omit<CallToolResult, 'structuredContent' | 'isError'> & {
      isError: true
      structuredContent?: CheckIsErrorFirst | undefined
    })

/** The result of a tool: a plain `CallToolResult` if its output type is not known. */
export type ToolResult<T = RegisteredTools, Name extends ToolName<T> = ToolName<T>> = T[Name] extends {
  structuredContent?: infer Output
}
  ? unknown extends Output
    ? CallToolResult
    : ToolOutput<Exclude<Output, undefined>>
  : CallToolResult
