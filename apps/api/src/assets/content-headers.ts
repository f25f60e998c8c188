import type { AssetRecord } from '@chorus/database';
import { extensionOf } from '@chorus/media';

/** Types that browsers show safely. Other types are downloaded. */
const INLINE_TYPES = new Set([
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

/** Prevents content from running scripts, loading anything or sending anything. */
export const CONTENT_POLICY =
  "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox";

export const isInline = (mimeType: string): boolean => INLINE_TYPES.has(mimeType);

/** Builds a `Content-Disposition` (RFC 6266): an ASCII name for old clients, the full name by RFC 8187. */
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
  return `${isInline(mime_type) ? 'inline' : 'attachment'}; filename="${ascii}"${extended}`;
}
