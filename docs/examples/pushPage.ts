const json = { 'content-type': 'application/json' }

/**
 * Call it on a click: browsers ask the user for permission only then. True if
 * this browser gets messages from now on.
 */
export async function subscribeToPush(): Promise<boolean> {
  if ((await Notification.requestPermission()) !== 'granted') return false
  await navigator.serviceWorker.register('/push-sw.js')
  const { pushManager } = await navigator.serviceWorker.ready
  const key = await fetch('/api/push')
  const options = {
    userVisibleOnly: true,
    applicationServerKey: await key.text(),
  }
  const subscription = await pushManager.subscribe(options)
  const { ok } = await fetch('/api/push', {
    method: 'POST',
    headers: json,
    body: JSON.stringify(subscription),
  })
  return ok
}

/**
 * Call it when the user wants no more messages here, and before they sign out.
 */
export async function unsubscribeFromPush(): Promise<void> {
  const registration = await navigator.serviceWorker.getRegistration()
  const subscription = await registration?.pushManager.getSubscription()
  if (!subscription) return
  const body = JSON.stringify({ endpoint: subscription.endpoint })
  await fetch('/api/push', { method: 'DELETE', headers: json, body })
  await subscription.unsubscribe()
}
