// made by `npx taskwire types`; do not edit

export interface Tools {
  /** Writes the report of a quarter. Takes twenty seconds. */
  generate_report: {
    arguments: GenerateReportArguments
    structuredContent: GenerateReportOutput
  }
}

export type GenerateReportArguments = {
  quarter: 'Q1' | 'Q2' | 'Q3' | 'Q4'
}

export type GenerateReportOutput = {
  title: string
  total: number
}

/** A hash of names and schemas: if it changes, generate the types again. */
export const toolsHash = '1312e4bf0f81c51ea6963796b4b5'

// 1a8bd92643e1e417f81ef6f2de70 "generate_report"
