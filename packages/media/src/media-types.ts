import type { AssetKind } from '@chorus/contract';

export interface MediaType {
  kind: AssetKind;
  mime_type: string;
}

/** Names that several libraries give to one type, and the one that browsers know. */
const SAME: Readonly<Record<string, string>> = {
  'image/apng': 'image/png',
  'audio/x-m4a': 'audio/mp4',
  'audio/vnd.wave': 'audio/wav',
  'audio/x-wav': 'audio/wav',
  'audio/x-flac': 'audio/flac',
  'video/x-m4v': 'video/mp4',
  'video/matroska': 'video/x-matroska',
  'text/xml': 'application/xml',
};

/** What people read, and what holds markup: a picture as a program (SVG) is no picture here. */
const DOCUMENTS = [
  /^text\//,
  /^application\/(pdf|rtf|json|x-ndjson|xml|xhtml\+xml|epub\+zip|postscript|eps|msword|x-mobipocket-ebook)$/,
  /^application\/vnd\.(openxmlformats-officedocument|oasis\.opendocument|ms-(word|excel|powerpoint|visio))/,
  /^image\/(svg\+xml|vnd\.djvu)$/,
];

/** The type under its common name, with its kind. */
export function mediaType(name: string): MediaType {
  const [bare = ''] = name.toLowerCase().split(';');
  const mime_type = SAME[bare] ?? bare;
  return { kind: kindOf(mime_type), mime_type };
}

function kindOf(mimeType: string): AssetKind {
  if (DOCUMENTS.some((pattern) => pattern.test(mimeType))) return 'document';
  if (mimeType.startsWith('image/')) return 'image';
  if (mimeType.startsWith('video/')) return 'video';
  if (mimeType.startsWith('audio/')) return 'audio';
  return 'other';
}

/** Pictures that are decoded here: of others only the name is known. */
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

/** What files of a type are called at the end, without the dot; `bin` where nothing is common. */
export function extensionOf(mimeType: string): string {
  const named = EXTENSIONS[mimeType];
  if (named !== undefined) return named;
  const [, last = ''] = mimeType.split('/');
  return /^[a-z0-9]{2,5}$/.test(last) ? last : 'bin';
}
