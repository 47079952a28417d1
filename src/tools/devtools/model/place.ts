import { withoutSecrets } from '../../../core/client/endpoint.js'
import type { ObservedClient } from './devtoolsModel.js'

/** Where the server of a client is, without what may be a secret; undefined over an SDK client, whose URL is not known. */
export function placeOf({ url }: Pick<ObservedClient, 'url'>): string | undefined {
  if (url === undefined) return undefined
  try {
    const { host, pathname } = new URL(url, location.href)
    return host + withoutSecrets(pathname, () => '…')
  } catch {
    return undefined
  }
}
