import type { TaskClientSdkBaseOptions } from '../client/sdkBaseOptions.js'
import type { SchemaValidator, SdkV1Client } from '../connection/sdkV1/client.js'

/** What `createTaskClient` of `taskwire/sdk-v1` takes. */
export interface TaskClientSdkV1Options extends TaskClientSdkBaseOptions {
  /**
   * A `Client` of `@modelcontextprotocol/sdk` 1.x. The app connects it before the first use, and closes it. The client may
   * be used for everything else as before.
   */
  client: SdkV1Client
  /**
   * What the output of tasks is validated by, where the tool declares an `outputSchema`. Pass what the client of the SDK
   * got as `jsonSchemaValidator`.
   * @default the `AjvJsonSchemaValidator` of the SDK, as in its client
   */
  jsonSchemaValidator?: SchemaValidator
}
