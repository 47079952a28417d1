export interface Tools {
  /** Writes the report of a quarter. */
  generate_report: {
    arguments: { quarter: 'Q1' | 'Q2' | 'Q3' | 'Q4' }
    structuredContent: { total: number }
  }
}

export const toolsHash = '10b84979a10f3018ded6cf14191b'
