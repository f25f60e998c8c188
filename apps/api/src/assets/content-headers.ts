import type { AssetRecord } from '@chorus/database';
import { extensionOf } from '@chorus/media';

/** What browsers show by themselves and that can't run anything; the rest is saved, whatever it claims to be. */
const SHOWN = new Set([
  'image/png',
  'image/jpeg',
  'image/webp',
  'image/gif',
  'image/avif',
  'audio/mpeg',
  'audio/mp4',
  'audio/aac',
  'audio/wav',
  'audio/ogg',
  'audio/flac',
  'audio/webm',
  'video/mp4',
  'video/webm',
  'video/ogg',
  'video/quicktime',
  'application/pdf',
]);

/** Nothing of it may run, load or send anything, wherever it is opened; what it is shown as may hold itself. */
export const CONTENT_POLICY =
  "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox";

export const isShown = (mimeType: string): boolean => SHOWN.has(mimeType);

/** `Content-Disposition` by RFC 6266: the name in ASCII for old clients, and as it is by RFC 8187. */
export function contentDisposition({
  id,
  mime_type,
  filename,
}: Pick<AssetRecord, 'id' | 'mime_type' | 'filename'>): string {
  const name = filename ?? `${id}.${extensionOf(mime_type)}`;
  const ascii = name.replace(/[^ !#$&'()+\-.0-9;=@A-Z[\]^_`a-z{}~]/gu, '_');
  const encoded = encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  const extended = ascii === name ? '' : `; filename*=UTF-8''${encoded}`;
  return `${isShown(mime_type) ? 'inline' : 'attachment'}; filename="${ascii}"${extended}`;
}
