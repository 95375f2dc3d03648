/** URIs of schemas: resolved in memory, never fetched. */

/** A reference as an absolute URI. What is no URI at all stays as it is and so leads nowhere. */
export function resolveUri(reference: string, base: string): string {
  try {
    return new URL(reference, base).href;
  } catch {
    return reference; // reported as an external reference
  }
}

/** The URI without its fragment, and the fragment decoded, without `#`. */
export function splitFragment(uri: string): { readonly resource: string; readonly fragment: string } {
  const hash = uri.indexOf('#');
  if (hash === -1) return { resource: uri, fragment: '' };
  const encoded = uri.slice(hash + 1);
  let fragment: string;
  try {
    fragment = decodeURIComponent(encoded);
  } catch {
    fragment = encoded; // a stray % stands for itself
  }
  return { resource: uri.slice(0, hash), fragment };
}
