import type { TaskClientSdkBaseOptions } from '../sdkBaseOptions.js'
import type { SchemaValidator, SdkV1Client } from './client.js'

/** The options of `createTaskClient` of `taskwire/sdk-v1`. */
export interface TaskClientSdkV1Options extends TaskClientSdkBaseOptions {
  /**
   * A `Client` of `@modelcontextprotocol/sdk` 1.x. The app connects it before the first use, and closes it. The app can use
   * it for everything else as before.
   */
  client: SdkV1Client
  /**
   * The validator for the output of tasks whose tool declares an `outputSchema`. Pass the `jsonSchemaValidator` of the SDK
   * client.
   * @default the `AjvJsonSchemaValidator` of the SDK, which is also the default of its client
   */
  jsonSchemaValidator?: SchemaValidator
}
