// made by `npx taskwire types`; do not edit

export interface Tools {
  itself: {
    arguments: ItselfArguments
  }
  save_tree: {
    arguments: SaveTreeArguments
    structuredContent: SaveTreeOutputPerson
  }
}

export type ItselfArguments = {
  inner?: ItselfArguments
}

export type SaveTreeArguments = {
  root: SaveTreeArgumentsNode
  owner?: SaveTreeArgumentsPerson
}
export type SaveTreeArgumentsNode = {
  label: string
  children?: SaveTreeArgumentsNode[]
}
export type SaveTreeArgumentsPerson = {
  name?: string
}

export type SaveTreeOutputPerson = {
  id?: number
}

/** A hash of names and schemas: if it changes, generate the types again. */
export const toolsHash = '12016a786d5cd31f6d405c346b34'

// 188822299d35fd08986c75eb896c "itself"
// 1ea74cea8291ed17c579a52f84e0 "save_tree"
