// made by `npx taskwire types`; do not edit

export interface Tools {
  /**
   * *\/
   * export const evil = 1
   */
  hostile: {
    arguments: HostileArguments
  }
}

export type HostileArguments = {
  tsType?: string
  "it's */ 'quoted'\n"?: string
  kind?: "'; export const evil = 5; '" | '*/' | '`evil`' | 'a\nb'
}

/** A hash of names and schemas: if it changes, generate the types again. */
export const toolsHash = '0d7a843e31ff551568cd542fae0a'

// 046974c873435b13737a61f524f6 "hostile"
