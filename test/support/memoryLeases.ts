import type { LeaseStore } from '../../src/bridge/backend/leases/leaseLocks.js'

/** Leases in memory, by the clock of the database that they stand for. */
export function memoryLeases(now: () => number) {
  const leases = new Map<string, { readonly token: string; readonly until: number }>()
  /** The lease of this name, unless it has ended. */
  const current = (name: string) => {
    const known = leases.get(name)
    return known !== undefined && known.until > now() ? known : undefined
  }
  const store: LeaseStore = {
    take: async ({ name, token }, leaseMs, steals) => {
      const known = current(name)
      if (known !== undefined && known.token !== token && !steals) return known.until - now()
      leases.set(name, { token, until: now() + leaseMs })
      return 0
    },
    renew: async (asked, leaseMs) => {
      const kept = asked.filter(({ name, token }) => current(name)?.token === token)
      for (const { name, token } of kept) leases.set(name, { token, until: now() + leaseMs })
      return new Set(kept.map(({ token }) => token))
    },
    release: async ({ name, token }) => {
      if (leases.get(name)?.token === token) leases.delete(name)
    },
  }
  return { store, leases }
}
