/** What an error says in production, where what to do about it takes more than a sentence. In development it has the sentences. */
export const READ_MORE = 'See https://github.com/taskwire/taskwire/blob/main/docs/errors.md#in-production'
