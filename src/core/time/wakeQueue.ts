/** Something that is to be woken. The two members are the queue's. */
export interface Wakeable {
  /** When it is to be woken, ms since the epoch. */
  wakeAt: number
  /** Its place in the queue; -1: it is not in it. */
  place: number
}

/** Things in the order in which they are to be woken. */
export interface WakeQueue<T extends Wakeable> {
  first(): T | undefined
  /** Puts it in the queue, at this time and at no other one; undefined: takes it out. */
  set(item: T, at: number | undefined): void
  clear(): void
}

/** A queue ordered by time: a binary heap. */
export function createWakeQueue<T extends Wakeable>(): WakeQueue<T> {
  const heap: T[] = []

  function put(item: T, place: number): void {
    heap[place] = item
    item.place = place
  }

  function up(item: T, from: number): void {
    let place = from
    while (place > 0) {
      const parent = (place - 1) >> 1
      const above = heap[parent] as T
      if (above.wakeAt <= item.wakeAt) break
      put(above, place)
      place = parent
    }
    put(item, place)
  }

  function down(item: T, from: number): void {
    let place = from
    for (;;) {
      let child = 2 * place + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && (heap[child + 1] as T).wakeAt < (heap[child] as T).wakeAt) child += 1
      const below = heap[child] as T
      if (below.wakeAt >= item.wakeAt) break
      put(below, place)
      place = child
    }
    put(item, place)
  }

  function remove(item: T): void {
    const { place } = item
    const last = heap.pop() as T
    item.place = -1
    if (last === item) return
    if (place > 0 && last.wakeAt < (heap[(place - 1) >> 1] as T).wakeAt) up(last, place)
    else down(last, place)
  }

  return {
    first: () => heap[0],
    set: (item, at) => {
      if (item.place >= 0) remove(item)
      if (at === undefined) return
      item.wakeAt = at
      heap.push(item)
      up(item, heap.length - 1)
    },
    clear: () => {
      for (const item of heap) item.place = -1
      heap.length = 0
    },
  }
}
