import type { AudioSample } from 'mediabunny';

type AudioSampleFormat = AudioSample['format'];

/** Sample formats of libav, by their number. None of our codecs produces doubles. */
export const SAMPLE_FORMATS: readonly (AudioSampleFormat | null)[] = [
  'u8',
  's16',
  's32',
  'f32',
  null,
  'u8-planar',
  's16-planar',
  's32-planar',
  'f32-planar',
];

export const S16 = 1;
export const S16_PLANAR = 6;

/** Layouts of one to eight channels, in libav's masks. */
const LAYOUTS = [0, 0x4, 0x3, 0x7, 0x33, 0x37, 0x3f, 0x70f, 0x63f];

export const layoutOf = (channels: number): number => LAYOUTS[channels] ?? 0;
