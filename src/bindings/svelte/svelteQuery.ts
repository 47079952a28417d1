// The only module that loads @tanstack/svelte-query. Where that is not installed, a bundler says so for each module
// that imports it, and Vite, which puts an empty module in its place, for each name that is imported: here for one.
import * as query from '@tanstack/svelte-query'
import { createQuery as queryOfSvelte } from '@tanstack/svelte-query'

export const createMutation: typeof query.createMutation = query.createMutation
export const createQuery: typeof queryOfSvelte = queryOfSvelte
export const getQueryClientContext: typeof query.getQueryClientContext = query.getQueryClientContext
export const isServer: typeof query.isServer = query.isServer
export const QueryClient: typeof query.QueryClient = query.QueryClient
export const setQueryClientContext: typeof query.setQueryClientContext = query.setQueryClientContext
export const useQueryClient: typeof query.useQueryClient = query.useQueryClient
