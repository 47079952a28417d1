// The only module that loads @tanstack/solid-query. Where that is not installed, a bundler says so for each module
// that imports it, and Vite, which puts an empty module in its place, for each name that is imported: here for one.
import * as query from '@tanstack/solid-query'
import { useQuery as queryOfSolid } from '@tanstack/solid-query'

export const QueryClient: typeof query.QueryClient = query.QueryClient
export const QueryClientContext: typeof query.QueryClientContext = query.QueryClientContext
export const QueryClientProvider: typeof query.QueryClientProvider = query.QueryClientProvider
export const useMutation: typeof query.useMutation = query.useMutation
export const useQuery: typeof queryOfSolid = queryOfSolid
export const useQueryClient: typeof query.useQueryClient = query.useQueryClient
