import { TaskInputError } from 'taskwire'
import { respondToToolApproval } from 'taskwire/ai'
import { describe, expect, it } from 'vitest'

describe('an answer to an approval', () => {
  it.each(['', 'aitxt-1', 'null', '7', '"ab"', '{}', '[]', '["call"]', '["call", 7]', '["call", "q1"]'])(
    'is a TaskInputError for the id %j, which no call has',
    async (id) => {
      const error = await respondToToolApproval({ getToolCall: () => undefined }, { id, approved: true }).catch(
        (reason: unknown) => reason,
      )
      expect(error).toBeInstanceOf(TaskInputError)
      expect(error).toMatchObject({ message: 'The approval is no longer needed.' })
    },
  )
})
