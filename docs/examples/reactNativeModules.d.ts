// As much of React Native and its packages as the example uses, in place of
// dependencies that nothing else needs.

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
