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

/** Of names and schemas: it changes when the types may have to. */
export const toolsHash = '12016a786d5cd31f6d405c346b34'

// 188822299d35fd08986c75eb896c "itself"
// 1ea74cea8291ed17c579a52f84e0 "save_tree"
