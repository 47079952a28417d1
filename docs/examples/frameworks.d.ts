// As much of Next.js as the examples use, in place of a dependency that nothing else needs.
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
