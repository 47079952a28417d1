/**
 * Faults that are known and are being mended: the fuzzer goes around each of these until its line is taken away.
 * Empty is what this list should be.
 */
export const KNOWN_FAULTS: ReadonlySet<KnownFault> = new Set<KnownFault>([])

export type KnownFault =
  /** What caused an error, and the violation in its JSON, say the id as the server said it. */
  | 'task ids in causes and violations'
  /** What a task of 2025-11-25 says of itself is searched for the id with its session, not for the bare one. */
  | 'task ids in words of the legacy era'
  /** What is nested too deep for a recursive function ends a call with a bare RangeError. */
  | 'deep JSON'
  /** A 202, or, in the legacy era, a response under another id: the call waits for 24.8 days. */
  | 'answers to tools/call that leave it without an answer'
  /** Times in messages between tabs are believed, however far away. */
  | 'numbers in messages between tabs'
