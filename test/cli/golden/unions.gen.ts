// made by `npx taskwire types`; do not edit

export interface Tools {
  draw: {
    arguments: DrawArguments
  }
}

export type DrawArguments = {
  shape?:
    | {
        kind: 'circle'
        r: number
      }
    | {
        kind: 'square'
        a: number
      }
  mixed?: 'a' | 1 | true | null
  point?: [number, number]
  both?: {
    x?: string
  } & {
    y?: string
  }
  numbers?: {
    [k: string]: number
  }
  extra?: {
    id?: string
    [k: string]: number | string | undefined
  }
  anything?: unknown
  /**
   * Whatever it is
   */
  something?: unknown
  oneOfTwo?: unknown & {
    a?: string
  }
  nothing?: never
  description?: string
}

/** A hash of names and schemas: if it changes, generate the types again. */
export const toolsHash = '18a61df19dd1fe076e7f14e7d007'

// 115a56bd170ddd0c9207672a1071 "draw"
