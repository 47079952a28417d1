// The only module that loads @tanstack/react-query. Where that is not installed, a bundler says so for each module
// that imports it, and Vite, which puts an empty module in its place, for each name that is imported: here for one.
import * as query from '@tanstack/react-query'
import { QueryClientProvider as Provider } from '@tanstack/react-query'

export const isServer: typeof query.isServer = query.isServer
export const QueryClient: typeof query.QueryClient = query.QueryClient
export const QueryClientContext: typeof query.QueryClientContext = query.QueryClientContext
export const QueryClientProvider: typeof Provider = Provider
export const useMutation: typeof query.useMutation = query.useMutation
export const useQuery: typeof query.useQuery = query.useQuery
export const useQueryClient: typeof query.useQueryClient = query.useQueryClient
export const useQueryErrorResetBoundary: typeof query.useQueryErrorResetBoundary = query.useQueryErrorResetBoundary
export const useSuspenseQuery: typeof query.useSuspenseQuery = query.useSuspenseQuery
