/** Of these the library holds much in memory; of videos only their boxes. */
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

/** The least that a file is given, and how much of it is read in a second at the very least. */
const LEAST_MS = 30_000;
const BYTES_A_SECOND = 10_000_000;

/** Whether a file of this type and size can be given a record. */
export function signable(mime: string, sizeBytes: number): boolean {
  if (IMAGES_SIGNED.has(mime)) return sizeBytes <= MAX_IMAGE_BYTES;
  if (SOUNDS_SIGNED.has(mime)) return sizeBytes <= MAX_SOUND_BYTES;
  return VIDEOS_SIGNED.has(mime) && sizeBytes <= MAX_VIDEO_BYTES;
}

/** Whether files of this type can carry a record that is understood here. */
export function readable(mime: string): boolean {
  return [IMAGES_SIGNED, VIDEOS_SIGNED, SOUNDS_SIGNED, ALSO_READ].some((types) => types.has(mime));
}

/** How long reading or signing a file may take, in milliseconds: all of it is hashed. */
export function timeFor(sizeBytes: number): number {
  return LEAST_MS + Math.ceil((sizeBytes / BYTES_A_SECOND) * 1_000);
}
