import AsyncStorage from '@react-native-async-storage/async-storage'
import NetInfo from '@react-native-community/netinfo'
import { fetch as expoFetch } from 'expo/fetch'
import { randomUUID } from 'expo-crypto'
import { AppState } from 'react-native'
import { createTaskClient } from 'taskwire/lite'
import {
  asyncStorage,
  reactNativeEnvironment,
} from './reactNativeEnvironment.js'

// This fetch reads responses as they arrive. React Native's own fetch does not:
// with it, nothing is pushed, and tasks are polled.
const fetch = expoFetch as typeof globalThis.fetch

export const client = createTaskClient({
  url: 'https://example.com/mcp',
  fetch: (url, init) => fetch(String(url), init),
  storage: asyncStorage(AsyncStorage),
  environment: reactNativeEnvironment({ AppState, NetInfo, randomUUID }),
})
