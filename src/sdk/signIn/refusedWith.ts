/**
 * The `Authorization` header of a request, by the response that refuses it: null for none. While the request was on its way,
 * another one may have brought a new token.
 */
export const refusedWith: WeakMap<Response, string | null> = new WeakMap()
