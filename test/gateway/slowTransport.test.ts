import { InMemoryTransport, McpServer } from '@modelcontextprotocol/server'
import { createTaskGateway, type TaskGateway } from 'taskwire/gateway'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createManualClock, type ManualClock, settle } from '../server/support/manualClock.js'
import { rpcRequest } from '../server/support/rpc.js'

const MINUTE = 60_000

/** A gateway whose `transport` waits, such as for a token, until `open` is called. */
function startWaiting(): { clock: ManualClock; gateway: TaskGateway; open: () => void; transport: InMemoryTransport } {
  const clock = createManualClock()
  const [transport, behind] = InMemoryTransport.createLinkedPair()
  const server = new McpServer({ name: 'behind', version: '1' })
  let open = () => {}
  const gateway = createTaskGateway({
    transport: async () => {
      await server.connect(behind)
      await new Promise<void>((resolve) => {
        open = resolve
      })
      return transport
    },
    onError: () => {},
    clock,
  })
  return { clock, gateway, open: () => open(), transport }
}

it('a request is answered although the transport of its user is never made', async () => {
  const { clock, gateway } = startWaiting()
  onTestFinished(() => gateway.close())
  const onAnswer = vi.fn<(response: Response) => void>()
  void gateway.fetch(rpcRequest('tools/list', {})).then(onAnswer)
  await settle()
  await clock.advance(3 * MINUTE)
  expect(onAnswer.mock.lastCall?.[0].status).toBe(503)
})

it('the gateway closes although a transport is never made, and closes one that comes later', async () => {
  const { gateway, open, transport } = startWaiting()
  const answer = gateway.fetch(rpcRequest('tools/list', {}))
  await settle()
  const onClosed = vi.fn()
  void gateway.close().then(onClosed)
  await settle()
  expect(onClosed).toHaveBeenCalledOnce()
  expect((await answer).status).toBe(503)
  const closed = vi.spyOn(transport, 'close')
  open()
  await settle()
  expect(closed).toHaveBeenCalled()
})
