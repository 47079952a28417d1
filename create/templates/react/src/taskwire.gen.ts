// made by `npx taskwire types`; do not edit

export interface Tools {
  /** Adds up the sales of a quarter. Takes ten seconds. */
  generate_report: {
    arguments: GenerateReportArguments
    structuredContent: GenerateReportOutput
  }
}

export type GenerateReportArguments = {
  quarter: 'Q1' | 'Q2' | 'Q3' | 'Q4'
}

export type GenerateReportOutput = {
  quarter: string
  regions: number
  pieces: number
}

/** A hash of names and schemas: if it changes, generate the types again. */
export const toolsHash = '187fd7f0571052026ce105233e56'

// 135936ea01253c0d2a1d0ea8b102 "generate_report"
