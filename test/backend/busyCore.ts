import { type ChildProcess, execFileSync, spawn } from 'node:child_process'

/** Ends with the process that has started it, however that ends: a process that computes hears of nothing. */
const COMPUTE = 'const parent = process.ppid; while (process.ppid === parent);'

/**
 * Leaves this process, and those that it starts afterwards, one core of the machine, and starts another process that
 * computes on it without pause. Returns a function that ends that one.
 *
 * @throws Error where there is no `taskset`, which Linux has
 */
export function keepCoreBusy(): () => void {
  const core = /(\d+)\s*$/.exec(taskset('-c', '-p'))?.[1] ?? '0'
  taskset('-a', '-c', '-p', core)
  const busy: ChildProcess = spawn(process.execPath, ['-e', COMPUTE], { stdio: 'ignore' })
  return () => void busy.kill('SIGKILL')
}

/** Sets on which cores all threads of this process may run, or prints it. */
function taskset(...args: readonly string[]): string {
  try {
    return execFileSync('taskset', [...args, String(process.pid)], { encoding: 'utf8' })
  } catch (cause) {
    throw new Error('Failed to choose a core with taskset. --load needs Linux, and its package util-linux.', { cause })
  }
}
