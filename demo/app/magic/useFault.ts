import { useSyncExternalStore } from 'react'
import type { Fault } from 'taskwire/devtools'
import { faults } from '../devtools.js'

/** A fault of this page and the way to switch it; undefined where the page was built without faults. */
export function useFault(fault: Fault): { isOn: boolean; set: (isOn: boolean) => void } | undefined {
  const isOn = useSyncExternalStore(subscribe, () => faults?.active().has(fault) === true)
  return faults && { isOn, set: (next) => faults?.set(fault, next) }
}

function subscribe(onChange: () => void): () => void {
  return faults?.subscribe(onChange) ?? (() => {})
}
