import type { Environment, TaskStorage } from 'taskwire/lite'

/**
 * The parts of React Native and its community packages that a client needs.
 */
export interface ReactNativeParts {
  /** From `react-native`. */
  AppState: {
    readonly currentState: string | null | undefined
    addEventListener(
      type: 'change',
      listener: (state: string) => void,
    ): { remove(): void }
  }
  /** The default export of `@react-native-community/netinfo`. */
  NetInfo: {
    addEventListener(
      listener: (state: { isConnected: boolean | null }) => void,
    ): () => void
  }
  /**
   * From `expo-crypto`, or from any package that has it: Hermes has no
   * `crypto`.
   */
  randomUUID(): string
}

/**
 * The app takes the place of the page: in the background it is hidden and may
 * be stopped, and in front it continues.
 */
export function reactNativeEnvironment({
  AppState,
  NetInfo,
  randomUUID,
}: ReactNativeParts): Partial<Environment> {
  let isOnline = true
  const onlineListeners = new Set<() => void>()
  NetInfo.addEventListener(({ isConnected }) => {
    // null: not known yet.
    if ((isConnected ?? true) === isOnline) return
    isOnline = !isOnline
    for (const listener of onlineListeners) listener()
  })

  const on =
    (isMeant: (state: string) => boolean) => (listener: () => void) => {
      const subscription = AppState.addEventListener('change', (state) => {
        if (isMeant(state)) listener()
      })
      return () => subscription.remove()
    }

  return {
    randomId: () => randomUUID().replaceAll('-', ''),
    isOnline: () => isOnline,
    onOnlineChange: (listener) => {
      onlineListeners.add(listener)
      return () => onlineListeners.delete(listener)
    },
    isVisible: () => AppState.currentState !== 'background',
    onVisibilityChange: on(() => true),
    onPageHide: on((state) => state === 'background'),
    onPageShow: on((state) => state === 'active'),
  }
}

/** The default export of `@react-native-async-storage/async-storage`. */
export interface AsyncStorageParts {
  getItem(key: string): Promise<string | null>
  setItem(key: string, value: string): Promise<void>
  removeItem(key: string): Promise<void>
  getAllKeys(): Promise<readonly string[]>
}

/** Keeps records among the other items of the app, under keys of their own. */
export const asyncStorage = (items: AsyncStorageParts): TaskStorage => ({
  getItem: (key) => items.getItem(key),
  setItem: (key, value) => items.setItem(key, value),
  removeItem: (key) => items.removeItem(key),
  keys: () => items.getAllKeys(),
})
