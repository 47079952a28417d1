import { useState } from 'react'

/** A switch that a reload of this tab leaves as it is. */
export function useKept(name: string): [boolean, (isOn: boolean) => void] {
  const key = `northlight:${name}`
  const [isOn, setIsOn] = useState(() => sessionStorage.getItem(key) !== null)
  return [
    isOn,
    (next) => {
      if (next) sessionStorage.setItem(key, 'on')
      else sessionStorage.removeItem(key)
      setIsOn(next)
    },
  ]
}
