/** SHA-256 (FIPS 180-4). Not by `crypto.subtle`, which takes time of its own: a test server lives by the clock of its test. */
export function sha256(text: string): Uint8Array {
  const bytes = padded(new TextEncoder().encode(text))
  const input = new DataView(bytes.buffer)
  const state = Int32Array.from(INITIAL)
  const words = new Int32Array(64)
  for (let block = 0; block < bytes.length; block += 64) {
    for (let at = 0; at < 16; at += 1) words[at] = input.getInt32(block + at * 4)
    for (let at = 16; at < 64; at += 1) {
      const [early, late] = [word(words, at - 15), word(words, at - 2)]
      const low = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3)
      const high = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10)
      words[at] = word(words, at - 16) + low + word(words, at - 7) + high
    }
    compress(state, words)
  }
  const output = new DataView(new ArrayBuffer(32))
  state.forEach((value, at) => {
    output.setInt32(at * 4, value)
  })
  return new Uint8Array(output.buffer)
}

function compress(state: Int32Array, words: Int32Array): void {
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state
  for (let at = 0; at < 64; at += 1) {
    const high = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
    const first = (h + high + ((e & f) ^ (~e & g)) + word(ROUNDS, at) + word(words, at)) | 0
    const low = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)
    const second = (low + ((a & b) ^ (a & c) ^ (b & c))) | 0
    ;[h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0]
  }
  for (const [at, value] of [a, b, c, d, e, f, g, h].entries()) state[at] = word(state, at) + value
}

/** The bytes, a one, zeros, and how many bits there were. */
function padded(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64)
  all.set(bytes)
  all[bytes.length] = 0x80
  new DataView(all.buffer).setBigUint64(all.length - 8, BigInt(bytes.length) * 8n)
  return all
}

function rotate(value: number, by: number): number {
  return (value >>> by) | (value << (32 - by))
}

function word(words: Int32Array, at: number): number {
  return words[at] ?? 0
}

/** The first 64 primes. */
const PRIMES: readonly number[] = Array.from({ length: 312 }, (_, number) => number).filter(
  (number) => number > 1 && Array.from({ length: number - 2 }, (_, at) => at + 2).every((by) => number % by !== 0),
)

/** The first 32 bits behind the point of a root. */
const fraction = (root: number): number => ((root % 1) * 2 ** 32) | 0

const INITIAL = Int32Array.from(PRIMES.slice(0, 8), (prime) => fraction(Math.sqrt(prime)))
const ROUNDS = Int32Array.from(PRIMES, (prime) => fraction(Math.cbrt(prime)))
