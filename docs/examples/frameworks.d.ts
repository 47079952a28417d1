// As much of the frameworks as the examples use, in place of dependencies that nothing else needs.

declare module 'express' {
  import type { NodeIncomingMessageLike, NodeServerResponseLike } from '@modelcontextprotocol/node'

  type Handler = (req: NodeIncomingMessageLike & { body?: unknown }, res: NodeServerResponseLike) => void
  interface App {
    use(handler: Handler): void
    all(paths: string[], handler: Handler): void
    listen(port: number): void
  }
  function express(): App
  namespace express {
    function json(options: { limit: string }): Handler
  }
  export default express
}

declare module 'hono' {
  export class Hono {
    all(path: string, handler: (c: { req: { raw: Request } }) => Promise<Response>): void
    fetch(request: Request): Promise<Response>
  }
}

declare module 'next/server' {
  export function after(work: () => Promise<unknown>): void
}

declare module 'react-native' {
  export const AppState: import('./reactNativeEnvironment.js').ReactNativeParts['AppState']
}

declare module '@react-native-community/netinfo' {
  const NetInfo: import('./reactNativeEnvironment.js').ReactNativeParts['NetInfo']
  export default NetInfo
}

declare module '@react-native-async-storage/async-storage' {
  const AsyncStorage: import('./reactNativeEnvironment.js').AsyncStorageParts
  export default AsyncStorage
}

declare module 'expo-crypto' {
  export function randomUUID(): string
}

declare module 'expo/fetch' {
  export const fetch: typeof globalThis.fetch
}
