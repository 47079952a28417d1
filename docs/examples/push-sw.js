self.addEventListener('push', (event) => {
  const { title, body, tag, url } = event.data.json()
  event.waitUntil(
    self.registration.showNotification(title, { body, tag, data: { url } }),
  )
})

self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(open(event.notification.data.url ?? '/'))
})

/** Shows the page in a tab that is open, or in a new one. */
async function open(url) {
  const { href } = new URL(url, self.location.origin)
  const tabs = await self.clients.matchAll({ type: 'window' })
  const tab = tabs.find((each) => each.url === href)
  await (tab ? tab.focus() : self.clients.openWindow(href))
}

// The browser has ended the subscription: make a new one.
self.addEventListener('pushsubscriptionchange', (event) => {
  event.waitUntil(renew())
})

async function renew() {
  const key = await fetch('/api/push')
  const options = {
    userVisibleOnly: true,
    applicationServerKey: await key.text(),
  }
  const subscription = await self.registration.pushManager.subscribe(options)
  const headers = { 'content-type': 'application/json' }
  await fetch('/api/push', {
    method: 'POST',
    headers,
    body: JSON.stringify(subscription),
  })
}
