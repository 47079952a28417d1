// made by `npx taskwire types`; do not edit

export interface Tools {
  "2nd": {
    arguments: T2NdArguments
  }
  __proto__: {
    arguments: ProtoArguments
  }
  "files.read_all": {
    arguments: FilesReadAllArguments
  }
  "files/read-all": {
    arguments: FilesReadAll2Arguments
  }
  "line\u2028export const evil = 1": {
    arguments: LineExportConstEvil1Arguments
  }
  tools: {
    arguments: Tools2Arguments
  }
  "öl": {
    arguments: LArguments
  }
}

export type T2NdArguments = {
  a?: string
}

export type ProtoArguments = {
  a?: string
}

export type FilesReadAllArguments = {
  path?: string
}

export type FilesReadAll2Arguments = {
  'max-bytes'?: number
}

export type LineExportConstEvil1Arguments = {
  a?: string
}

export type Tools2Arguments = {
  a?: string
}

export type LArguments = {
  a?: string
}

/** A hash of names and schemas: if it changes, generate the types again. */
export const toolsHash = '1814642c08252d01e109868193b1'

// 19792e9148b1fa0c41f457463236 "2nd"
// 0624f1c0d64dd30fcf33984100a8 "__proto__"
// 13c816924cd46114d789301a8e88 "files.read_all"
// 15c5f1572e51571cbdee7865a1a7 "files/read-all"
// 096fecf044a7ee1bb96d1e08b018 "line\u2028export const evil = 1"
// 01162ece48799604e09f07a881aa "tools"
// 08dec8871b897002325ccb8f7491 "öl"
