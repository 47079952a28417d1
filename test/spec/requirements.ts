/** One thing that the specification of tasks, or the core, asks of a client or a server. */
export interface Requirement {
  readonly level: 'MUST' | 'MUST NOT' | 'SHOULD' | 'SHOULD NOT'
  /** In our words; the specification's are what counts. */
  readonly text: string
  /**
   * Of `TASK-…` and `SERVER-TASK-…` in the specification of the extension, of `CORE-…` and `SERVER-CORE-…` in that of the
   * core, both 2026-07-28 if not said.
   */
  readonly section: string
}

/**
 * What SEP-2663 asks of clients, and what the core does where a task or an input request is concerned. A test that
 * proves one of them names it in square brackets, in its name or in a comment. What an app decides with its own user
 * interface is proved by the forms of the documentation and of the demo.
 *
 * Left out, for nothing that a client does shows them: to be "designed to accommodate additional request types", and what
 * implementations put into messages for their own logs. Left to the SDK and its tests: transport, headers of parameters,
 * authorization, pagination, caching, and what a model is given (`maxTokens`, hints).
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
  'TASK-INPUT-INSPECT': {
    level: 'MUST',
    text: 'The inputRequests of a task in input_required are looked at.',
    section: 'SEP-2663, "Task Status"',
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
  'CORE-CAPABILITIES-DECLARED': {
    level: 'MUST',
    text: 'What the client can be asked (elicitation with its modes, sampling, roots) is declared in each request.',
    section: 'Elicitation, Sampling, Roots: "Capabilities"',
  },
  'CORE-UNDECLARED-REFUSED': {
    level: 'MUST',
    text: 'A request of a kind, a mode or with tools that the client has not declared is refused; in 2025-11-25 with -32602 for a mode.',
    section: 'Elicitation (2025-11-25): "Error Handling"; schema: CreateMessageRequestParams.tools',
  },
  'CORE-CLIENT-INFO': {
    level: 'SHOULD',
    text: 'Each request says which client it comes from.',
    section: 'Overview: "_meta"',
  },
  'CORE-REQUEST-ID': {
    level: 'MUST NOT',
    text: 'A request has the id of no other request that is under way.',
    section: 'Overview: "Requests"',
  },
  'CORE-RESULT-TYPE-ABSENT': {
    level: 'MUST',
    text: 'A result without a resultType counts as complete.',
    section: 'Overview: "ResultType"',
  },
  'CORE-RESULT-TYPE-UNKNOWN': {
    level: 'MUST',
    text: 'A result with a resultType that the client does not know is invalid.',
    section: 'Overview: "ResultType"',
  },
  'CORE-PARAM-HEADERS': {
    level: 'MUST',
    text: 'Arguments that a tool designates by x-mcp-header are sent in headers, too; a tool that designates them wrongly is left out.',
    section: 'Streamable HTTP: "Custom Headers from Tool Parameters"',
  },
  'CORE-VERSION-HEADER': {
    level: 'MUST',
    text: 'Each request carries MCP-Protocol-Version, the same as in its envelope.',
    section: 'Streamable HTTP: "Protocol Version Header"',
  },
  'CORE-NAME-ENCODING': {
    level: 'MUST',
    text: 'What cannot be sent as plain ASCII, and what looks like an encoded value, is in Mcp-Name as Base64.',
    section: 'Streamable HTTP: "Value Encoding"',
  },
  'CORE-INPUT-BEFORE-RETRY': {
    level: 'MUST',
    text: 'A call that is answered by questions is repeated when they are answered.',
    section: 'Multi Round-Trip Requests: "Client Requirements"',
  },
  'CORE-INPUT-STATE': {
    level: 'MUST',
    text: 'The requestState of the questions is sent back exactly as it came, and none where there was none.',
    section: 'Multi Round-Trip Requests: "Client Requirements"',
  },
  'CORE-INPUT-NEW-ID': {
    level: 'MUST',
    text: 'The call that brings the answers has another id than the one before.',
    section: 'Multi Round-Trip Requests: "Client Requirements"',
  },
  'CORE-ELICIT-MODE-DEFAULT': {
    level: 'MUST',
    text: 'An elicitation without a mode is a form.',
    section: 'Elicitation: "Elicitation Requests"',
  },
  'CORE-ELICIT-SERVER-SHOWN': {
    level: 'MUST',
    text: 'The user sees which server asks.',
    section: 'Elicitation: "User Interaction Model"',
  },
  'CORE-ELICIT-DECLINE': {
    level: 'MUST',
    text: 'The user can decline, and can dismiss.',
    section: 'Elicitation: "User Interaction Model"',
  },
  'CORE-ELICIT-REVIEW': {
    level: 'MUST',
    text: 'The user reviews and changes what a form sends before it is sent.',
    section: 'Elicitation: "User Interaction Model"',
  },
  'CORE-ELICIT-APPROVAL': {
    level: 'SHOULD',
    text: 'Nothing is answered without the user, or a handler of the app.',
    section: 'Elicitation, Sampling: "Security Considerations"',
  },
  'CORE-ELICIT-VALIDATED': {
    level: 'SHOULD',
    text: 'An answer is checked against the schema of its question.',
    section: 'Elicitation: "Form Mode Security"',
  },
  'CORE-ELICIT-DEFAULTS': {
    level: 'SHOULD',
    text: 'A form is filled with the defaults of its schema.',
    section: 'Elicitation: "Requested Schema"',
  },
  'CORE-URL-NOT-FETCHED': {
    level: 'MUST NOT',
    text: 'The URL of a question, or anything about it, is not fetched by itself.',
    section: 'Elicitation: "Safe URL Handling"',
  },
  'CORE-URL-CONSENT': {
    level: 'MUST NOT',
    text: 'The URL of a question is not opened without the consent of the user.',
    section: 'Elicitation: "Safe URL Handling"',
  },
  'CORE-URL-SHOWN-IN-FULL': {
    level: 'MUST',
    text: 'The user sees the whole URL before the consent.',
    section: 'Elicitation: "Safe URL Handling"',
  },
  'CORE-URL-OPENED-SECURELY': {
    level: 'MUST',
    text: 'The URL opens where the client can see neither the page nor what the user types.',
    section: 'Elicitation: "Safe URL Handling"',
  },
  'CORE-URL-HOST-HIGHLIGHTED': {
    level: 'SHOULD',
    text: 'The host of the URL stands out.',
    section: 'Elicitation: "Safe URL Handling"',
  },
  'CORE-URL-SUSPICIOUS': {
    level: 'SHOULD',
    text: 'There is a warning at a URL that is ambiguous: with Punycode, or with a user name before its host.',
    section: 'Elicitation: "Safe URL Handling"',
  },
  'CORE-URL-NOT-CLICKABLE-ELSEWHERE': {
    level: 'SHOULD NOT',
    text: 'No URL in the texts of a question is a link.',
    section: 'Elicitation: "Safe URL Handling"',
  },
}
