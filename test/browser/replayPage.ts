import { createTaskClient } from 'taskwire'
import { recordReplay } from 'taskwire/devtools'
import { type Component, createApp } from 'vue'

const pages = import.meta.glob<Component>('../../docs/.vitepress/theme/replay/Replay.vue', { import: 'default' })

// With ?run it is an app that records itself: two calls, one of which is cancelled. Without it is the page of the documentation.
if (location.search === '?run') await run()
else for (const load of Object.values(pages)) createApp(await load()).mount(place())

async function run(): Promise<void> {
  const client = createTaskClient({ url: '/mcp', push: false })
  const recorder = recordReplay(client)
  const renderOf = (seconds: number) => ({
    name: 'render_shot',
    arguments: { shot: 'harbour', seconds, ending: 'goes well' },
  })
  const finished = client.startToolCall(renderOf(6), { key: 'of the user' })
  const cancelled = client.startToolCall(renderOf(60))
  await new Promise<void>((resolve) => {
    cancelled.subscribe(({ phase }) => phase === 'working' && setTimeout(resolve, 700))
  })
  await cancelled.cancel()
  await Promise.allSettled([finished.result, cancelled.result])
  // Observers are told of a response when its body has been read.
  await new Promise((resolve) => setTimeout(resolve, 300))
  const output = document.createElement('output')
  output.textContent = JSON.stringify({ file: recorder.file(), fragment: await recorder.fragment() })
  document.body.append(output)
}

function place(): HTMLElement {
  return document.body.appendChild(document.createElement('main'))
}
