import { McpError } from '@modelcontextprotocol/sdk/types.js'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv'
import type { ConnectedSdk } from '../../core/wire/sdkAdapter.js'
import type { OutputValidator } from './checkOutput.js'
import type { SchemaValidator } from './client.js'
import { type OpenSdkV1Options, openSdkV1 } from './openSdkV1.js'

export interface OpenSdkV1AloneOptions extends Omit<OpenSdkV1Options, 'validator'> {
  readonly schemaValidator: SchemaValidator | undefined
}

/** Opens an SDK v1 client in an app that has no other SDK: output is validated as that client does it. */
export function openSdkV1Alone({ schemaValidator, ...options }: OpenSdkV1AloneOptions): ConnectedSdk {
  const schemas: SchemaValidator = schemaValidator ?? new AjvJsonSchemaValidator()
  const validator: OutputValidator = {
    validate: async (schema, value) => {
      const { valid, errorMessage } = schemas.getValidator(schema as never)(value)
      return valid ? undefined : (errorMessage ?? 'it is not valid')
    },
    error: (code, message) => new McpError(code, message),
  }
  return openSdkV1({ ...options, validator })
}
