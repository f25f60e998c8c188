/** The library keeps images largely in memory, but only the boxes of videos. */
const IMAGES_SIGNED = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'image/avif']);
const VIDEOS_SIGNED = new Set(['video/mp4', 'video/quicktime']);
const SOUNDS_SIGNED = new Set(['audio/mpeg', 'audio/wav']);

const ALSO_READ = new Set([
  'image/tiff',
  'image/heic',
  'image/heif',
  'image/svg+xml',
  'video/x-msvideo',
  'audio/mp4',
  'audio/x-m4a',
  'application/pdf',
]);

const MAX_IMAGE_BYTES = 256 * 1024 ** 2;
const MAX_SOUND_BYTES = 256 * 1024 ** 2;
const MAX_VIDEO_BYTES = 8 * 1024 ** 3;

/** Minimum time per file, and minimum throughput. */
const MIN_TIMEOUT_MS = 30_000;
const MIN_BYTES_PER_SECOND = 10_000_000;

/** Returns whether a file of this type and size can be signed. */
export function isSignable(mime: string, sizeBytes: number): boolean {
  if (IMAGES_SIGNED.has(mime)) return sizeBytes <= MAX_IMAGE_BYTES;
  if (SOUNDS_SIGNED.has(mime)) return sizeBytes <= MAX_SOUND_BYTES;
  return VIDEOS_SIGNED.has(mime) && sizeBytes <= MAX_VIDEO_BYTES;
}

/** Returns whether files of this type can have a readable record. */
export function isReadable(mime: string): boolean {
  return [IMAGES_SIGNED, VIDEOS_SIGNED, SOUNDS_SIGNED, ALSO_READ].some((types) => types.has(mime));
}

/** Returns the time limit in milliseconds for a file, all of which is hashed. */
export function timeoutFor(sizeBytes: number): number {
  return MIN_TIMEOUT_MS + Math.ceil((sizeBytes / MIN_BYTES_PER_SECOND) * 1_000);
}
