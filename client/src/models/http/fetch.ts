/** How requests to models get to the network. */

/**
 * The part of the standard `fetch` that is used: a request is an address and what `init` says. A `Request`, of which somebody
 * would have to take over method, headers and body, is none.
 */
export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;
