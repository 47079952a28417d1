import type { Requirement } from './requirements.js'

/**
 * What SEP-2663 asks of servers, and what the core does where a task or an input request is concerned. A test that
 * proves one of them names it in square brackets.
 *
 * Left out, for the tool decides it: what is asked (no passwords by forms), whom a link is for, and what a result says. Left to the SDK and its tests: the rest of
 * the transport, discovery, pagination, caching, and input requests before a task.
 */
export const SERVER_REQUIREMENTS: Readonly<Record<string, Requirement>> = {
  'SERVER-TASK-DECLARED': {
    level: 'MUST NOT',
    text: 'A call of a client that has not declared the extension with it becomes no task, whatever it declared before.',
    section: 'Capability Negotiation',
  },
  'SERVER-TASK-REQUIRED': {
    level: 'MUST',
    text: 'A tool that can only be a task is refused to such a client with -32021, and the error names the extension.',
    section: 'Capability Negotiation',
  },
  'SERVER-TASK-RESULT-TYPE': {
    level: 'MUST',
    text: 'The answer that is a task says resultType "task".',
    section: 'Polymorphic Results',
  },
  'SERVER-TASK-RESULT-TYPE-ELSEWHERE': {
    level: 'MUST NOT',
    text: 'No other answer says resultType "task": those of tasks/get, tasks/update and tasks/cancel say "complete".',
    section: 'Polymorphic Results; Task Polling; Task Update Requests; Task Cancellation',
  },
  'SERVER-TASK-DURABLE': {
    level: 'MUST NOT',
    text: 'No call is answered with a task before tasks/get would find it.',
    section: 'Task Creation',
  },
  'SERVER-TASK-QUESTIONS-BEFORE': {
    level: 'SHOULD',
    text: 'Questions that come before a task are settled before the call is answered with a task.',
    section: 'Task Creation',
  },
  'SERVER-TASK-GET-WORKING': {
    level: 'MUST',
    text: 'tasks/get of a task at work says working.',
    section: 'Task Polling',
  },
  'SERVER-TASK-GET-INPUT': {
    level: 'MUST',
    text: 'tasks/get of a task that waits for input says input_required, with every question that is open.',
    section: 'Task Polling',
  },
  'SERVER-TASK-GET-COMPLETED': {
    level: 'MUST',
    text: 'tasks/get of a task that has a result, one with isError included, says completed, with the result.',
    section: 'Task Polling; Result Retrieval',
  },
  'SERVER-TASK-GET-CANCELLED': {
    level: 'MUST',
    text: 'tasks/get of a task that was cancelled says cancelled.',
    section: 'Task Polling',
  },
  'SERVER-TASK-GET-FAILED': {
    level: 'MUST',
    text: 'tasks/get of a task that a JSON-RPC error ended says failed, with that error.',
    section: 'Task Polling; Task Execution Errors',
  },
  'SERVER-TASK-FAILED-ONLY': {
    level: 'MUST NOT',
    text: 'failed stands for JSON-RPC errors only.',
    section: 'Task Status; Task Execution Errors',
  },
  'SERVER-TASK-FAILED-MESSAGE': {
    level: 'SHOULD',
    text: 'A task that has failed says why in its statusMessage.',
    section: 'Task Execution Errors',
  },
  'SERVER-TASK-INPUT-KEYS': {
    level: 'MUST',
    text: 'No two questions of a task have the same key.',
    section: 'Task Update Requests',
  },
  'SERVER-TASK-INPUT-UNKNOWN': {
    level: 'SHOULD',
    text: 'Answers to questions that are not open, or never were, are ignored.',
    section: 'Task Update Requests',
  },
  'SERVER-TASK-UPDATE-ACK': {
    level: 'MUST',
    text: 'tasks/update is acknowledged by an empty result.',
    section: 'Task Update Requests',
  },
  'SERVER-TASK-CANCEL-ACK': {
    level: 'MUST',
    text: 'tasks/cancel is acknowledged by an empty result.',
    section: 'Task Cancellation',
  },
  'SERVER-TASK-UNKNOWN': {
    level: 'MUST',
    text: 'tasks/get of a task that there is not is refused with -32602; tasks/update and tasks/cancel are, too (SHOULD).',
    section: 'Protocol Errors',
  },
  'SERVER-TASK-METHODS-DECLARED': {
    level: 'MUST',
    text: 'tasks/get, tasks/update and tasks/cancel of a client that does not declare the extension are refused with -32021.',
    section: 'Protocol Errors',
  },
  'SERVER-TASK-LISTEN-DECLARED': {
    level: 'MUST',
    text: 'So is subscriptions/listen for tasks.',
    section: 'Task Status Notifications; Protocol Errors',
  },
  'SERVER-TASK-LISTEN-ONLY': {
    level: 'MUST NOT',
    text: 'A stream of tasks carries neither notifications/progress nor notifications/message.',
    section: 'Task Status Notifications',
  },
  'SERVER-TASK-ID': {
    level: 'MUST',
    text: 'Ids of tasks cannot be guessed.',
    section: 'Security Considerations',
  },
  'SERVER-TASK-AUTH': {
    level: 'MUST',
    text: 'Each request about a task is checked: one user cannot read, answer, cancel or follow the task of another.',
    section: 'Security Considerations',
  },
  'SERVER-CORE-INPUT-DECLARED': {
    level: 'MUST NOT',
    text: 'No question is sent of a kind or a mode, or with tools, that the client has not declared to answer.',
    section:
      'Multi Round-Trip Requests: "Server Requirements"; Elicitation: "Capabilities"; Sampling: "Tools in Sampling"',
  },
  'SERVER-CORE-CAPABILITY-MISSING': {
    level: 'MUST',
    text: 'What needs a capability that the client has not declared ends with -32021.',
    section: 'Overview: "Per-Request Metadata"',
  },
  'SERVER-CORE-INPUT-VALIDATED': {
    level: 'SHOULD',
    text: 'Answers are checked against the schema of their question.',
    section: 'Elicitation: "Form Mode Security"',
  },
  'SERVER-CORE-ACKNOWLEDGED-FIRST': {
    level: 'MUST',
    text: 'The first message of a stream is its acknowledgement.',
    section: 'Subscriptions: "Acknowledgment"',
  },
  'SERVER-CORE-SUBSCRIPTION-ID': {
    level: 'MUST',
    text: 'Each notification of a stream names the subscription.',
    section: 'Overview: "_meta"; Subscriptions',
  },
  'SERVER-CORE-STREAM-ASKED-FOR': {
    level: 'MUST NOT',
    text: 'A stream carries nothing that was not asked for.',
    section: 'Subscriptions',
  },
  'SERVER-CORE-METHOD-UNKNOWN': {
    level: 'MUST',
    text: 'A method that the server does not have is answered with 404 and -32601.',
    section: 'Streamable HTTP: "Sending Messages to the Server"',
  },
  'SERVER-CORE-HEADERS': {
    level: 'MUST',
    text: 'Requests whose headers and body disagree are refused with -32020.',
    section: 'Streamable HTTP: "Header Validation"',
  },
  'SERVER-CORE-ORIGIN': {
    level: 'MUST',
    text: 'A request of a page whose origin may not call the server is refused with 403.',
    section: 'Streamable HTTP: "Security"',
  },
  'SERVER-CORE-TORN-DOWN': {
    level: 'MUST',
    text: 'A server that ends a subscription of which something could still come sends notifications/cancelled with its id.',
    section: 'Cancellation; Subscriptions: "Cancellation"',
  },
  'SERVER-CORE-STRUCTURED': {
    level: 'MUST',
    text: 'A result conforms to the outputSchema of its tool.',
    section: 'Tools: "Output Schema"',
  },
}
