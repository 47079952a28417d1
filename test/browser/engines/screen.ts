import { once } from 'node:events'
import { startProgram } from './program.js'

/** A screen that nobody looks at. */
export interface Screen {
  /** What programs take as `DISPLAY`. */
  readonly display: string
  end(): Promise<void>
}

export async function startScreen(xvfb: string): Promise<Screen> {
  // Without `-noreset` it begins anew when its last window is gone, and refuses those that come meanwhile.
  const args = ['-displayfd', '3', '-screen', '0', '1600x1200x24', '-nolisten', 'tcp', '-noreset']
  const program = startProgram(xvfb, args, { hasOutput: true })
  const { output } = program
  if (output === undefined) throw new TypeError('Xvfb has nowhere to write the number of its display.')
  try {
    // It writes the number once it accepts windows.
    const [number] = (await program.whileItRuns('start a screen', once(output, 'data'))) as [Buffer]
    return { display: `:${number.toString().trim()}`, end: program.end }
  } catch (error) {
    await program.end()
    throw error
  }
}
