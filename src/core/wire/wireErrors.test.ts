import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError, UnauthorizedError } from '@modelcontextprotocol/client'
import { describe, expect, it } from 'vitest'
import {
  causes,
  HttpError,
  hasWireCode,
  isHttpError,
  isRpcError,
  isUnauthorizedError,
  RpcError,
  type WireCode,
  WireError,
} from './wireErrors.js'

const of = {
  http: [new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, 'No', { status: 503 }), new HttpError(503, 'No')],
  rpc: [ProtocolError.fromError(-32022, 'No', { supported: ['1'], requested: '2' }), new RpcError(-32022, 'No', {})],
  closed: [new SdkError(SdkErrorCode.ConnectionClosed, 'No'), new WireError('CONNECTION_CLOSED', 'No')],
  unauthorized: [new UnauthorizedError()],
  other: [
    Object.assign(new Error('No'), { name: 'HttpError', data: {} }),
    Object.assign(new Error('No'), { status: 503, data: {} }),
    Object.assign(new Error('No'), { code: 'CONNECTION_CLOSED' }),
    Object.assign(new Error('No'), { name: 'WireError' }),
    new TypeError('fetch failed'),
    new DOMException('No', 'AbortError'),
    'SdkHttpError',
    undefined,
  ],
}

describe('what a connection raises is told apart, whichever client it comes from:', () => {
  const tests = {
    http: isHttpError,
    rpc: isRpcError,
    closed: (error: unknown) => hasWireCode(error, 'REQUEST_TIMEOUT', 'CONNECTION_CLOSED'),
    unauthorized: isUnauthorizedError,
  }
  it.each(Object.entries(tests))('%s', (kind, isOne) => {
    for (const [name, errors] of Object.entries(of)) expect(errors.map(isOne)).toEqual(errors.map(() => name === kind))
  })
})

describe('the causes of an error', () => {
  it('are its cause and that in the data of the SDK', () => {
    const [first, second] = [new Error('first'), new Error('second')]
    const third = new SdkError(SdkErrorCode.ConnectionClosed, 'third', { cause: first })
    expect(causes(new Error('fourth', { cause: Object.assign(second, { cause: third }) })).slice(1)).toEqual([
      second,
      third,
      first,
    ])
  })

  it('are none that a server has put into the data of an error', () => {
    const error = new RpcError(-32000, 'No', { cause: { status: 401, cause: { status: 401 } } })
    expect(causes(error)).toEqual([error])
  })

  it('end where they go round in a circle', () => {
    const error = new Error('No')
    error.cause = new Error('Why', { cause: error })
    expect(causes(error)).toEqual([error, error.cause])
  })

  it.each([undefined, null, 'No', { cause: new Error('No') }])('are none of what is no error: %j', (thrown) => {
    expect(causes(thrown)).toEqual([])
  })
})

it('the codes are those of the SDK', () => {
  const codes: Record<WireCode, true> = {
    NOT_CONNECTED: true,
    CONNECTION_CLOSED: true,
    REQUEST_TIMEOUT: true,
    CLIENT_HTTP_UNEXPECTED_CONTENT: true,
    CLIENT_HTTP_AUTHENTICATION: true,
    CAPABILITY_NOT_SUPPORTED: true,
    INVALID_RESULT: true,
    UNSUPPORTED_RESULT_TYPE: true,
  }
  for (const code of Object.keys(codes)) expect(Object.values(SdkErrorCode)).toContain(code)
})
