/** The middle value. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

/** The median of one series in terms of another's, with its quartiles over pairs of rounds. */
export function ratio(values: readonly number[], others: readonly number[]): string {
  const ratios = values.map((value, index) => value / (others[index] ?? Number.NaN)).sort((a, b) => a - b)
  const at = (part: number) => (ratios[Math.floor((ratios.length - 1) * part)] ?? Number.NaN).toFixed(2)
  return `${at(0.5)} (${at(0.25)} to ${at(0.75)})`
}
