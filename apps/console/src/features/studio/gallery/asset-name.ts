import type { Asset } from '@chorus/client';

/** What a file is called, or what it is. */
export function assetName({ filename, kind, width, height }: Asset): string {
  if (filename !== null) return filename;
  return width === null ? kind : `${kind}, ${width} × ${height}`;
}
