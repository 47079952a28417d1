// The module that loads @modelcontextprotocol/client. It is an optional peer, for the sake of `taskwire/lite`, so where it
// is not installed Vite puts an empty module in its place and says so for each name that is imported: here for one. What
// is loaded later takes what nothing else needs by the same kind of import.
import * as sdk from '@modelcontextprotocol/client'
import { Client as SdkClient } from '@modelcontextprotocol/client'

export const Client: typeof SdkClient = SdkClient
export type Client = SdkClient
export const StreamableHTTPClientTransport: typeof sdk.StreamableHTTPClientTransport = sdk.StreamableHTTPClientTransport
export const ProtocolError: typeof sdk.ProtocolError = sdk.ProtocolError
export type ProtocolError = sdk.ProtocolError
export const SdkError: typeof sdk.SdkError = sdk.SdkError
export const SdkErrorCode: typeof sdk.SdkErrorCode = sdk.SdkErrorCode
export const SdkHttpError: typeof sdk.SdkHttpError = sdk.SdkHttpError
export const UnauthorizedError: typeof sdk.UnauthorizedError = sdk.UnauthorizedError
export const extractWWWAuthenticateParams: typeof sdk.extractWWWAuthenticateParams = sdk.extractWWWAuthenticateParams
export const isDpopNonceChallenge: typeof sdk.isDpopNonceChallenge = sdk.isDpopNonceChallenge
