// made by `npx taskwire types`; do not edit

export interface Tools {
  /** Returns the text of its argument. */
  echo_text: {
    arguments: EchoTextArguments
  }
  /** Writes the report of a quarter. Takes half a minute. */
  generate_report: {
    arguments: GenerateReportArguments
    structuredContent: GenerateReportOutput
  }
}

export type EchoTextArguments = {
  text: string
}

export type GenerateReportArguments = {
  quarter: 'Q1' | 'Q2' | 'Q3' | 'Q4'
  regions?: string[]
}

export type GenerateReportOutput = {
  title: string
  total: number
}

/** A hash of names and schemas: if it changes, generate the types again. */
export const toolsHash = '10b84979a10f3018ded6cf14191b'

// 0d0e967013d86e1bcf42d29b1a2b "echo_text"
// 0976bc4e2ca6fd1b1b52bda3c0d5 "generate_report"
