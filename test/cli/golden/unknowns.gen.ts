// made by `npx taskwire types`; do not edit

export interface Tools {
  elsewhere: {
    arguments: unknown
  }
  from_a_file: {
    arguments: unknown
  }
  missing: {
    arguments: Record<string, never>
    structuredContent: unknown
  }
  no_schema: {
    arguments: unknown
  }
  nonsense: {
    arguments: NonsenseArguments
  }
}

export type NonsenseArguments = {
  a?: unknown
}

/** A hash of names and schemas: if it changes, generate the types again. */
export const toolsHash = '0b716edc6a85600578931c761477'

// 1feb6b87215b37199861af7c8c10 "elsewhere"
// 03ca0d2e8eb5520a15638ac0b401 "from_a_file"
// 0e7c6488cf9f620fc0654ad89703 "missing"
// 1b2f41a2a535fe1f4b0985d41c18 "no_schema"
// 13bd8d4ddf326b013d7a2f89ffbe "nonsense"
