import type { AssetKind } from '@chorus/contract';

export interface MediaType {
  kind: AssetKind;
  mime_type: string;
}

/** Aliases that libraries use, and the common name. */
const ALIASES: Readonly<Record<string, string>> = {
  'image/apng': 'image/png',
  'audio/x-m4a': 'audio/mp4',
  'audio/vnd.wave': 'audio/wav',
  'audio/x-wav': 'audio/wav',
  'audio/x-flac': 'audio/flac',
  'video/x-m4v': 'video/mp4',
  'video/matroska': 'video/x-matroska',
  'text/xml': 'application/xml',
};

/** Documents, including markup: SVG counts as a program, not an image. */
const DOCUMENTS = [
  /^text\//,
  /^application\/(pdf|rtf|json|x-ndjson|xml|xhtml\+xml|epub\+zip|postscript|eps|msword|x-mobipocket-ebook)$/,
  /^application\/vnd\.(openxmlformats-officedocument|oasis\.opendocument|ms-(word|excel|powerpoint|visio))/,
  /^image\/(svg\+xml|vnd\.djvu)$/,
];

export function mediaType(name: string): MediaType {
  const [bare = ''] = name.toLowerCase().split(';');
  const mime_type = ALIASES[bare] ?? bare;
  return { kind: kindOf(mime_type), mime_type };
}

function kindOf(mimeType: string): AssetKind {
  if (DOCUMENTS.some((pattern) => pattern.test(mimeType))) return 'document';
  if (mimeType.startsWith('image/')) return 'image';
  if (mimeType.startsWith('video/')) return 'video';
  if (mimeType.startsWith('audio/')) return 'audio';
  return 'other';
}

/** Image types that are decoded. Others are only recognized. */
const DECODED = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'image/tiff', 'image/avif']);

export const isDecodable = (mimeType: string): boolean => DECODED.has(mimeType);

const EXTENSIONS: Readonly<Record<string, string>> = {
  'image/jpeg': 'jpg',
  'image/svg+xml': 'svg',
  'video/quicktime': 'mov',
  'video/x-matroska': 'mkv',
  'audio/mpeg': 'mp3',
  'audio/mp4': 'm4a',
  'text/plain': 'txt',
  'application/x-ndjson': 'ndjson',
  'application/xhtml+xml': 'xhtml',
  'application/epub+zip': 'epub',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'pptx',
};

/** Returns the usual file extension without the dot, or `bin` if there is none. */
export function extensionOf(mimeType: string): string {
  const named = EXTENSIONS[mimeType];
  if (named !== undefined) return named;
  const [, last = ''] = mimeType.split('/');
  return /^[a-z0-9]{2,5}$/.test(last) ? last : 'bin';
}
