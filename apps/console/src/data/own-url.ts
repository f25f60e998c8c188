/**
 * Returns an asset's URL on this page's own origin. The API takes the origin from the request, which a proxy between may have changed, and
 * the page's policy allows no other.
 */
export function ownUrl(url: string): string {
  const { pathname, search } = new URL(url, location.href);
  return pathname + search;
}
