// made by `npx taskwire types`; do not edit

export interface Tools {
  /** Adds up the sales of a quarter. Takes ten seconds. */
  generate_report: {
    arguments: GenerateReportArguments
  }
}

export type GenerateReportArguments = {
  quarter: 'Q1' | 'Q2' | 'Q3' | 'Q4'
}

/** Of names and schemas: it changes when the types may have to. */
export const toolsHash = '08c75f116d62511e25fb1ae02231'

// 018c047e9fc19816b09add1bb274 "generate_report"
