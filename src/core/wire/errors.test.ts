import { ProtocolError, SdkErrorCode, SdkHttpError, UnauthorizedError } from '@modelcontextprotocol/client'
import { describe, expect, it } from 'vitest'
import {
  ConnectionFailedError,
  TaskExpiredError,
  TaskRequestError,
  ToolCallInterruptedError,
  ToolCallRejectedError,
} from '../protocol/errors.js'
import {
  connectionError,
  isPassingFailure,
  jsonRpcError,
  sessionLostError,
  taskRequestError,
  toolCallError,
} from './errors.js'
import { credentialsError, isSignInFailure, needsCredentials, needsSignIn } from './signInErrors.js'
import { HttpError, RpcError, WireError } from './wireErrors.js'

const URL_ = 'https://tasks.example/mcp'
const SCOPE = Object.assign(new Error('no'), { requiredScope: 'write' })
const SIGN_IN = new SdkHttpError(SdkErrorCode.ClientHttpAuthentication, 'no', { status: 401 })
const asked = (status: number, text = 'sign in'): Error =>
  new SdkHttpError(SdkErrorCode.ClientHttpAuthentication, 'no', { status, text })
const within = (cause: unknown): Error => new Error('outer', { cause })
const rpcText = (error: unknown): string => JSON.stringify({ jsonrpc: '2.0', id: 1, error })

describe('taskRequestError()', () => {
  const headersFailed = new TaskRequestError('no headers', { kind: 'auth', cause: new Error('vault') })

  it('names the task in an error of ours that names none', () => {
    const error = taskRequestError(headersFailed, 'tasks/get', 't')
    expect(error).toMatchObject({ message: 'no headers', kind: 'auth', taskId: 't' })
    expect(error.cause).toMatchObject({ message: 'vault' })
  })

  it.each([
    new TaskRequestError('busy', { kind: 'http', status: 503, taskId: 't' }),
    new TaskExpiredError('unknown-task', { taskId: 't' }),
  ])('leaves an error of ours alone: $name', (error) => {
    expect(taskRequestError(error, 'tasks/get', 't')).toBe(error)
  })

  it.each([
    ['tasks/get', TaskExpiredError],
    ['tasks/cancel', TaskExpiredError],
    ['tasks/update', TaskRequestError],
    ['notifications/tasks', TaskRequestError],
  ] as const)('reads invalid params of %s', (source, type) => {
    expect(taskRequestError(new RpcError(-32602, 'no', {}), source, 't')).toBeInstanceOf(type)
  })

  it('takes what a gateway says in JSON-RPC for its status', () => {
    const error = new HttpError(503, rpcText({ code: -32602, message: 'no' }), 5000)
    expect(taskRequestError(error, 'tasks/get', 't')).toMatchObject({ kind: 'http', status: 503, retryAfterMs: 5000 })
  })
})

describe('whether the server asks for credentials', () => {
  const http = (status: number) => new HttpError(status, 'no')
  const answers = (error: unknown) => [isSignInFailure(error), needsSignIn(error), needsCredentials(error)]

  it.each([
    ['nothing', undefined, [false, false, false]],
    ['null', null, [false, false, false]],
    ['a text', '401', [false, false, false]],
    ['HTTP 401', http(401), [false, true, true]],
    ['HTTP 401 inside', within(http(401)), [false, true, true]],
    ['HTTP 403', http(403), [false, false, true]],
    ['HTTP 404', http(404), [false, false, false]],
    ['a sign-in that failed', new UnauthorizedError(), [true, true, true]],
    ['a sign-in that failed, inside', within(new UnauthorizedError()), [true, true, true]],
    ['a sign-in of the transport that failed', SIGN_IN, [true, true, true]],
    ['the words of a server where nobody can sign in', asked(401), [false, true, true]],
    ['a scope that is too narrow', SCOPE, [false, true, true]],
    ['a scope that is too narrow, inside', within(SCOPE), [false, true, true]],
    [
      'another error with the data of a sign-in',
      Object.assign(new Error('no'), { data: { cause: http(401) } }),
      [false, true, true],
    ],
  ])('is told for %s', (_, error, expected) => {
    expect(answers(error)).toEqual(expected)
  })

  it.each([
    [new UnauthorizedError(), true],
    [SIGN_IN, true],
    [http(401), false],
  ])('is remembered of what credentialsError() was made of: %s', (cause, expected) => {
    const error = credentialsError(cause, 't')
    expect(error).toMatchObject({ kind: 'auth', status: 401, taskId: 't' })
    expect(isSignInFailure(error)).toBe(expected)
    expect(isSignInFailure(within(error))).toBe(expected)
  })

  it('is remembered where the body of the cause is left away', () => {
    const kept = (error: Error) => (toolCallError(error, 'report', false) as Error).cause
    expect(isSignInFailure(kept(SIGN_IN))).toBe(true)
    expect(isSignInFailure(kept(asked(401)))).toBe(false)
  })
})

describe('toolCallError()', () => {
  const withTask = new HttpError(503, '{"taskId":"secret"}', 3000)
  const rpc = { code: -32602, message: 'no such tool', data: { a: 1 } }

  it.each([
    ['credentials are asked for', new HttpError(401, '{"taskId":"secret"}'), ToolCallRejectedError, { code: 401 }],
    ['a gateway is busy', withTask, ToolCallInterruptedError, {}],
    ['the network breaks', new TypeError('fetch failed'), ToolCallInterruptedError, {}],
    ['there are too many calls', new HttpError(429, rpcText(rpc)), ToolCallRejectedError, { code: 429 }],
    ['there is no such page', new HttpError(404, 'Not Found'), ToolCallRejectedError, { code: 404 }],
    ['HTTP 400 brings a JSON-RPC error', new HttpError(400, rpcText(rpc)), ToolCallRejectedError, rpc],
  ])('says what became of the call where %s', (_, cause, type, members) => {
    const error = toolCallError(cause, 'report', false) as Error
    expect(error).toBeInstanceOf(type)
    const { message, ...rest } = members as { message?: string }
    expect(error).toMatchObject(rest)
    expect(error.message).toContain(message ?? '')
    expect(error.cause).toBeInstanceOf(Error)
    expect((error.cause as { data?: unknown }).data).toBeUndefined()
  })

  it('keeps what is no HTTP error as the cause', () => {
    const cause = new TypeError('fetch failed')
    expect((toolCallError(cause, 'report', false) as Error).cause).toBe(cause)
  })

  it('keeps name, code, status and delay of the HTTP error that is the cause', () => {
    const { cause } = toolCallError(withTask, 'report', false) as Error
    expect(cause).toMatchObject({ name: 'HttpError', message: 'HTTP 503', status: 503, retryAfterMs: 3000 })
  })

  it.each([
    ['a JSON-RPC error that the SDK raises itself', new ProtocolError(-32602, 'output is invalid')],
    ['an error that says that nothing was sent', new WireError('NOT_CONNECTED', 'no')],
    ['an error of ours', new ConnectionFailedError('no')],
  ])('leaves %s alone', (_, error) => {
    expect(toolCallError(error, 'report', false)).toBe(error)
  })

  it.each([
    [-32602, 'against listTools().'],
    [-32601, 'The server offers no tools.'],
    [-32603, ': no (-32603).'],
  ])('adds to %i what to do: %s', (code, words) => {
    const { message } = toolCallError(new RpcError(code, 'no', {}), 'report', true) as Error
    expect(message.endsWith(words) || message.includes(words)).toBe(true)
    expect(message.includes('listTools')).toBe(code === -32602)
  })

  it('says of a session that was ended that the tool did not run', () => {
    const error = sessionLostError('report', withTask, true)
    expect(error).toBeInstanceOf(ConnectionFailedError)
    expect(error.message).toContain('the tool did not run')
    expect(error.cause).toMatchObject({ status: 503 })
    expect(error.cause).not.toHaveProperty('data')
    expect(sessionLostError(undefined, withTask, true).message).toContain('Failed to list the tools')
  })
})

describe('connectionError()', () => {
  const said = (error: unknown, url: string | undefined = URL_) => connectionError(error, url).message

  it.each([
    [400, 'If it wants a header, pass it in the option headers.'],
    [401, 'It asks for credentials: pass authProvider'],
    [403, 'It refuses access'],
    [404, '. Check that the URL is that of the MCP endpoint.'],
    [415, 'It takes no JSON there. Check that the URL is that of the MCP endpoint.'],
    [429, 'Try again later.'],
    [499, '. Check that the URL is that of the MCP endpoint.'],
    [500, 'The fault is in the server'],
    [503, 'The fault is in the server'],
  ])('says what to do about HTTP %i: %s', (status, words) => {
    expect(said(new HttpError(status, 'words'))).toContain(words)
    expect(said(within(new HttpError(status, 'words')))).toContain(`answered HTTP ${status} and said "words"`)
    expect(said(new HttpError(status, 'words')).includes('no JSON')).toBe(status === 415)
  })

  it.each([
    [URL_, `an MCP server at ${URL_}`, `npx taskwire doctor ${URL_}`],
    [undefined, 'the MCP server: ', 'npx taskwire doctor <url>'],
  ])('names the URL %s', (url, where, doctor) => {
    const message = connectionError(new TypeError('fetch failed'), url).message
    expect(message).toContain(where)
    expect(message).toContain(doctor)
  })

  it.each([
    ['the words of a JSON-RPC error', new RpcError(-32603, 'broken', {}), 'error -32603 and said "broken"'],
    [
      'the message of a JSON-RPC error with a status',
      new HttpError(500, rpcText({ code: 1, message: 'broken' })),
      'said "broken"',
    ],
    ['that there is no MCP', within(new SyntaxError('Unexpected token')), 'does not speak MCP'],
    ['how to sign in', new UnauthorizedError(), 'client.authorize() starts a sign-in'],
  ])('says %s', (_, error, words) => {
    expect(said(error)).toContain(words)
  })

  it('says what the headers function of the app has thrown', () => {
    const own = new TaskRequestError('no headers', { kind: 'auth' })
    expect(connectionError(within(own), URL_)).toMatchObject({ name: 'ConnectionFailedError', message: 'no headers' })
  })
})

describe('isPassingFailure()', () => {
  it.each([
    ['HTTP 503', new HttpError(503, ''), true],
    ['HTTP 404', new HttpError(404, ''), false],
    ['the network', new TypeError('fetch failed'), true],
    ['the network, inside', within(new TypeError('fetch failed')), true],
    ['a timeout', new WireError('REQUEST_TIMEOUT', ''), true],
    ['a connection that was closed', new WireError('CONNECTION_CLOSED', ''), true],
    ['what is malformed', new WireError('INVALID_RESULT', ''), false],
    ['nothing', undefined, false],
    ['null', null, false],
  ])('is told for %s', (_, error, expected) => {
    expect(isPassingFailure(error)).toBe(expected)
  })
})

describe('jsonRpcError()', () => {
  const inBody = (body: unknown, status = 400) =>
    new HttpError(status, typeof body === 'string' ? body : JSON.stringify(body))
  const error = { code: 1, message: 'no' }

  it.each([
    ['an error of the server', new RpcError(1, 'no', { a: 1 }), { ...error, data: { a: 1 } }],
    ['the body of a status', inBody({ error }), error],
    ['a body without error', inBody({ result: {} }), undefined],
    ['a body with a text for an error', inBody({ error: 'no' }), undefined],
    ['a body that is null', inBody('null'), undefined],
    ['a body that is no JSON', inBody('<p>'), undefined],
    ['an error without a code', inBody({ error: { message: 'no' } }), undefined],
    ['an error without a message', inBody({ error: { code: 1 } }), undefined],
    [
      'another error with text',
      Object.assign(new Error('no'), { data: { text: JSON.stringify({ error }) } }),
      undefined,
    ],
    [
      'a status without a text',
      new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, '', { status: 400 }),
      undefined,
    ],
  ])('is read from %s', (_, given, expected) => {
    expect(jsonRpcError(given)).toEqual(expected === undefined ? undefined : { data: undefined, ...expected })
  })
})
