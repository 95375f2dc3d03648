/** Whose addresses are whose: the hosted services, and this machine. Which key may be sent where hangs on it. */

/** The origins of the hosted services, by their names as providers. */
export const serviceOrigins = {
  openai: 'https://api.openai.com',
  gemini: 'https://generativelanguage.googleapis.com',
} as const;

/** Whether a URL leads to this machine by a loopback address, or by `localhost`. */
export function isLoopback(url: string): boolean {
  if (!URL.canParse(url)) return false;
  // URL brings IPv4 addresses into their usual form: `127.1` and `0x7f.1` are 127.0.0.1.
  const { hostname } = new URL(url);
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}
