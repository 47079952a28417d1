import { withoutSecrets } from '../../../core/client/endpoint.js'
import type { ObservedClient } from './devtoolsModel.js'

/**
 * Where the server of each client is, without parts that may be a secret; undefined over an SDK client, whose URL is not known.
 * Servers at one path show their queries, too, and those that still look alike have numbers.
 */
export function placesOf(clients: readonly Pick<ObservedClient, 'url'>[]): (string | undefined)[] {
  const urls = clients.map(({ url }) => urlOf(url))
  const paths = urls.map((url) => url && url.host + shown(url.pathname))
  const queries = paths.map((path, at) => (isAlone(path, paths) ? path : path + queryOf(urls[at])))
  return queries.map((place, at) => (isAlone(place, queries) ? place : `${place} (${at + 1})`))
}

function urlOf(url: string | URL | undefined): URL | undefined {
  return url !== undefined && URL.canParse(url, location.href) ? new URL(url, location.href) : undefined
}

function isAlone(place: string | undefined, places: readonly (string | undefined)[]): boolean {
  return place === undefined || places.indexOf(place) === places.lastIndexOf(place)
}

function queryOf(url: URL | undefined): string {
  const pairs = [...(url?.searchParams ?? [])].map(([name, value]) => `${shown(name)}=${shown(value)}`)
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}

const shown = (text: string): string => withoutSecrets(text, () => '…')
