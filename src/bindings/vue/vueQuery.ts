// The only module that loads @tanstack/vue-query. Where that is not installed, a bundler says so for each module
// that imports it, and Vite, which puts an empty module in its place, for each name that is imported: here for one.
import * as query from '@tanstack/vue-query'
import { useQuery as queryOfVue } from '@tanstack/vue-query'

export const isServer: typeof query.isServer = query.isServer
export const QueryClient: typeof query.QueryClient = query.QueryClient
export const useMutation: typeof query.useMutation = query.useMutation
export const useQuery: typeof queryOfVue = queryOfVue
export const useQueryClient: typeof query.useQueryClient = query.useQueryClient
export const VUE_QUERY_CLIENT: typeof query.VUE_QUERY_CLIENT = query.VUE_QUERY_CLIENT
export const VueQueryPlugin: typeof query.VueQueryPlugin = query.VueQueryPlugin
