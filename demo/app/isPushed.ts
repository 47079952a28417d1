/** `?push`: the server pushes what happens to tasks. Without it the page polls, for the devtools to show. */
export const isPushed = new URLSearchParams(location.search).has('push')
