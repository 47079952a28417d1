import { useWireRecorder } from './wire/wireRecorder.js'

/** What this tab has sent about a task. */
export function RequestCount({ taskId }: { taskId: string | undefined }) {
  const messages = useWireRecorder((recorder) => recorder.messages)
  const count = (method: string) => messages.filter((one) => one.taskId === taskId && one.method === method).length
  if (taskId === undefined) return null
  return (
    <p className="request-count">
      <code>tools/call</code> {count('tools/call')}, <code>tasks/get</code> {count('tasks/get')}
    </p>
  )
}
