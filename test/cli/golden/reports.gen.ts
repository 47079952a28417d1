// made by `npx taskwire types`; do not edit

export interface Tools {
  any_arguments: {
    arguments: AnyArgumentsArguments
  }
  empty_arguments: {
    arguments: Record<string, never>
  }
  /**
   * Writes a report.
   * Takes a minute. *\/ export const evil = 1 /*
   */
  make_report: {
    arguments: MakeReportArguments
    structuredContent: MakeReportOutput
  }
  no_arguments: {
    arguments: Record<string, never>
  }
  no_output: {
    arguments: NoOutputArguments
  }
}

export type AnyArgumentsArguments = {
  [k: string]: unknown
}

export type MakeReportArguments = {
  /**
   * Which quarter. * / evil()
   */
  quarter: 'Q1' | 'Q2'
  pages?: number
  tags?: string[]
}

export type MakeReportOutput = {
  title: string
  total: number | null
}

export type NoOutputArguments = {
  text?: string
}

/** A hash of names and schemas: if it changes, generate the types again. */
export const toolsHash = '11760ca25ae1680ce4ecadd3df2c'

// 0672295c1279200e83e746866217 "any_arguments"
// 17b9f7f3f546ee0f2cbe5db121e4 "empty_arguments"
// 020a7db0d54525152ba7a1783981 "make_report"
// 0b3d58233de94711e28748dba0e5 "no_arguments"
// 12c4ccd6246cd110a6e1f2a3f4ee "no_output"
