import { toUnits } from './h264-units.ts';

type DecoderClass = typeof import('tinyh264/es/TinyH264Decoder.js')['default'];

export interface Planes {
  width: number;
  height: number;
  /** I420 */
  data: Uint8Array;
}

/** Its buffer for one unit. */
const MAX_UNIT_BYTES = 1024 * 1024;

/** Profiles that it decodes: baseline. */
export const isBaseline = (description: Uint8Array): boolean => description[1] === 66;

/**
 * Decodes H.264 of the baseline profile, as written by `H264Writer`.
 * @param description parameter sets (`avcC`)
 */
export async function decodeBaseline(description: Uint8Array, packets: readonly Uint8Array[]): Promise<Planes[]> {
  loading ??= load();
  const [module, Class] = await loading;
  const frames: Planes[] = [];
  const decoder = new Class(module, (data, width, height) => frames.push({ width, height, data }));
  try {
    for (const unit of toUnits(description, packets)) {
      const bytes = Buffer.concat([START_CODE, unit]);
      if (bytes.length > MAX_UNIT_BYTES) break;
      decoder.decode(bytes);
    }
  } finally {
    decoder.release();
  }
  return frames;
}

const START_CODE = Uint8Array.of(0, 0, 0, 1);

let loading: Promise<[object, DecoderClass]> | null = null;

async function load(): Promise<[object, DecoderClass]> {
  const [{ default: open }, { default: Class }] = await Promise.all([
    import('tinyh264/es/TinyH264.js'),
    import('tinyh264/es/TinyH264Decoder.js'),
  ]);
  // The package reads the URL of a browser's worker while it loads.
  Object.assign(globalThis, { self: { location: { href: import.meta.url } } });
  const module = open();
  Reflect.deleteProperty(globalThis, 'self');
  return [await module, Class];
}
