import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { LibAV, LibAVWrapper } from '@libav.js/variant-obsolete';

export type { LibAV } from '@libav.js/variant-obsolete';

const QUIET = -8;

const VARIANTS = {
  /** MP3, Opus, and FLAC. */
  sound: { name: '@libav.js/variant-obsolete', load: () => import('@libav.js/variant-obsolete') },
  /** VP8 and VP9. */
  video: { name: '@libav.js/variant-webm-vp9', load: () => import('@libav.js/variant-webm-vp9') },
} as const;

const loading = new Map<keyof typeof VARIANTS, Promise<LibAV>>();

/** Loads FFmpeg's libraries as WebAssembly into this thread, once. */
export function loadLibav(variant: keyof typeof VARIANTS): Promise<LibAV> {
  const known = loading.get(variant);
  if (known !== undefined) return known;
  const started = open(VARIANTS[variant]);
  loading.set(variant, started);
  started.catch(() => loading.delete(variant)); // the next use tries again
  return started;
}

async function open({ name, load }: (typeof VARIANTS)[keyof typeof VARIANTS]): Promise<LibAV> {
  const { default: library } = (await load()) as unknown as { default: LibAVWrapper };
  const base = dirname(fileURLToPath(import.meta.resolve(name)));
  const libav = await library.LibAV({ base, noworker: true, nothreads: true });
  // Damaged packets are handled by the callers.
  await libav.av_log_set_level(QUIET);
  return libav;
}
