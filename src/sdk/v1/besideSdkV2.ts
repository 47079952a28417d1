import * as sdk from '@modelcontextprotocol/client'
import type { ConnectedSdk } from '../../core/wire/sdkAdapter.js'
import { usesFirstLoad } from '../firstLoad.js'
import { ProtocolError } from '../sdk.js'
import type { OutputValidator } from './checkOutput.js'
import { type OpenSdkV1Options, openSdkV1 } from './openSdkV1.js'

usesFirstLoad()

const validator: OutputValidator = {
  validate: async (schema, value) =>
    (await sdk.fromJsonSchema(schema)['~standard'].validate(value)).issues?.[0]?.message,
  error: (code, message) => new ProtocolError(code, message),
}

/** Opens an SDK v1 client in an app that has SDK v2, too: output is validated as for its client. */
export function openBesideSdkV2(options: Omit<OpenSdkV1Options, 'validator'>): ConnectedSdk {
  return openSdkV1({ ...options, validator })
}
