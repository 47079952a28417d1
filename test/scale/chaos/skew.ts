// Imported before anything else: the clock of this process is wrong by CHAOS_SKEW_MS, and jumps now and then by as much.
const skewMs = Number(process.env['CHAOS_SKEW_MS'] ?? 0)
const now = Date.now
let offset = skewMs

Date.now = () => now() + offset
setInterval(() => {
  offset = offset === skewMs ? -skewMs : skewMs
}, 7000).unref()

// It ends when the process that started it does, which holds the other end of its input.
process.stdin.once('end', () => process.exit()).resume()
process.stdin.unref()

export {}
