/** A task of 2025-11-25, which a server may keep for one session only. */
export interface TaskAddress {
  /** The id that the server knows. */
  readonly taskId: string
  /** The session that it knows it in; undefined: that of the connection, or none. */
  readonly sessionId: string | undefined
}

/** What the id of such a task begins with. */
export const SESSION_PREFIX = 'session:'

/**
 * The id of a task as everybody above knows it. Many servers find a task only in the session that
 * made it, and a reload and every tab are a session each: so the id says which. A session id is visible
 * ASCII, so a space ends it.
 */
export function encodeTaskAddress({ taskId, sessionId }: TaskAddress): string {
  return sessionId === undefined ? taskId : `${SESSION_PREFIX}${sessionId} ${taskId}`
}

/** The address that an id stands for. One that a person brought along has none and is used as it is. */
export function decodeTaskAddress(id: string): TaskAddress {
  const end = id.indexOf(' ')
  if (!id.startsWith(SESSION_PREFIX) || end === -1) return { taskId: id, sessionId: undefined }
  return { taskId: id.slice(end + 1), sessionId: id.slice(SESSION_PREFIX.length, end) }
}

/** What the task id of a job begins with. No server gives such ids. */
export const JOB_PREFIX = 'taskwire:job:'

/** True for the task id of a job. */
export const isJob = (taskId: string): boolean => taskId.startsWith(JOB_PREFIX)
