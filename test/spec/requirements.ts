/** One thing that the specification of tasks asks of a client. */
export interface Requirement {
  readonly level: 'MUST' | 'MUST NOT' | 'SHOULD'
  /** In our words; the specification's are what counts. */
  readonly text: string
  /** Where it stands in the specification of the extension, 2026-07-28, or of the core where it says so. */
  readonly section: string
}

/**
 * What SEP-2663 asks of clients. A test that proves one of them names it in square brackets, in its name or in a
 * comment. Two of its SHOULDs are left out, for nothing that a client does shows them: to be "designed to accommodate
 * additional request types", and what implementations put into messages for their own logs.
 */
export const REQUIREMENTS: Readonly<Record<string, Requirement>> = {
  'TASK-DECLARE': {
    level: 'MUST',
    text: 'The extension is declared in the client capabilities of each request, not once for a connection.',
    section: 'Capability Negotiation',
  },
  'TASK-EITHER-RESULT': {
    level: 'MUST',
    text: 'A call of a tool may bring a plain result or a task, and the client handles both.',
    section: 'Capability Negotiation',
  },
  'TASK-UNSUPPORTED-METHOD': {
    level: 'MUST',
    text: 'A task in answer to a request that cannot become one is an invalid response.',
    section: 'Capability Negotiation',
  },
  'TASK-POLL-INTERVAL': {
    level: 'SHOULD',
    text: 'Polls are no more frequent than the pollIntervalMs of the response asks for.',
    section: 'Task Polling',
  },
  'TASK-POLL-INTERVAL-CHANGES': {
    level: 'SHOULD',
    text: 'The interval is the one of the latest response: it may change over the life of a task.',
    section: 'Task Polling',
  },
  'TASK-POLL-TO-THE-END': {
    level: 'SHOULD',
    text: 'Polling goes on until the task is in a terminal status, or until it is cancelled.',
    section: 'Task Polling',
  },
  'TASK-PERSIST': {
    level: 'SHOULD',
    text: 'Ids of tasks are kept where they outlive a crash or a restart, so that polling can be taken up again.',
    section: 'Task Polling',
  },
  'TASK-INPUT-FULFIL': {
    level: 'SHOULD',
    text: 'Open questions of a task, polled or pushed, are answered by tasks/update.',
    section: 'Task Update Requests',
  },
  'TASK-INPUT-OBSERVE': {
    level: 'SHOULD',
    text: 'After an answer the task is observed further, until it is over.',
    section: 'Task Update Requests',
  },
  'TASK-INPUT-TRUST': {
    level: 'MUST',
    text: 'A question of a task is treated like the same request on its own: same handlers, same user, same trust.',
    section: 'Task Update Requests; Security Considerations',
  },
  'TASK-INPUT-DEDUPE': {
    level: 'SHOULD',
    text: 'A question that several polls show is put to the user or the model once.',
    section: 'Task Update Requests',
  },
  'TASK-INPUT-ONCE': {
    level: 'SHOULD',
    text: 'The keys of questions are kept in mind, so that each is answered once.',
    section: 'Task Update Requests',
  },
  'TASK-INPUT-OUTSTANDING': {
    level: 'MUST',
    text: 'Every key of an answer is that of a question that is open.',
    section: 'Task Update Requests',
  },
  'TASK-CANCEL-BY-REQUEST': {
    level: 'MUST NOT',
    text: 'notifications/cancelled is not used to cancel a task.',
    section: 'Task Cancellation',
  },
  'TASK-NAME-HEADER': {
    level: 'MUST',
    text: 'tasks/get, tasks/update and tasks/cancel carry the id of the task in the header Mcp-Name.',
    section: 'Streamable HTTP: Routing Headers',
  },
  'TASK-METHOD-HEADER': {
    level: 'MUST',
    text: 'Requests about tasks carry their method in the header Mcp-Method, as all requests do.',
    section: 'Streamable HTTP: Routing Headers',
  },
  'TASK-LISTEN-ACKNOWLEDGED': {
    level: 'SHOULD',
    text: 'What the server acknowledges is compared with what was asked for; what it does not push is polled.',
    section: 'Task Status Notifications; core: Subscriptions, "Acknowledgment"',
  },
}
