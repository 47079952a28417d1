import type { Unsubscribe } from '../../../core/environment/environment.js'

/** How messages come from one process to the others. They may be lost while there is no connection. */
export interface BusWire {
  /** Receives what is sent under this name, from when it resolves on. */
  open(name: string): Promise<unknown>
  shut(name: string): void
  send(name: string, text: string): Promise<unknown>
}

/** Messages between processes, under names. A sender receives its own, too. */
export interface Bus {
  /** Resolves when it is sent, or when that has failed: a message may be lost. Never rejects. */
  publish(name: string, text: string): Promise<unknown>
  subscribe(name: string, listener: (text: string) => void): BusSubscription
  /** Called by the wire with what has come. */
  receive(name: string, text: string): void
  /** The names that somebody listens to. */
  readonly names: readonly string[]
}

export interface BusSubscription {
  /** Resolves when messages arrive, or when that has failed. Never rejects. */
  readonly isOpen: Promise<unknown>
  readonly stop: Unsubscribe
}

interface Subject {
  readonly listeners: Set<(text: string) => void>
  readonly isOpen: Promise<unknown>
}

/** A bus that listens to each name once, however many listeners it has. */
export function createBus(wire: BusWire): Bus {
  const subjects = new Map<string, Subject>()

  return {
    publish: (name, text) => wire.send(name, text).catch(() => {}),
    subscribe: (name, listener) => {
      const subject = subjects.get(name) ?? {
        listeners: new Set(),
        // A wire that cannot open it now does so when it is connected again.
        isOpen: wire.open(name).catch(() => {}),
      }
      subjects.set(name, subject)
      subject.listeners.add(listener)
      return {
        isOpen: subject.isOpen,
        stop: () => {
          if (!subject.listeners.delete(listener) || subject.listeners.size > 0) return
          if (subjects.get(name) !== subject) return
          subjects.delete(name)
          wire.shut(name)
        },
      }
    },
    receive: (name, text) => {
      for (const listener of [...(subjects.get(name)?.listeners ?? [])]) listener(text)
    },
    get names() {
      return [...subjects.keys()]
    },
  }
}
