import type { Frame } from '@chorus/codecs/picture';

/** Returns the pixels of a frame as RGB. Assumes BT.601 planes in limited range, like most small videos. */
export function toRgb({ format, width, height, data }: Frame): Uint8Array {
  if (format === 'rgb24') return data;
  const rgb = new Uint8ClampedArray(width * height * 3);
  const half = Math.ceil(width / 2);
  const u = width * height;
  const v = u + half * Math.ceil(height / 2);
  for (let y = 0, to = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const place = (y >> 1) * half + (x >> 1);
      const brightness = 1.164 * ((data[y * width + x] as number) - 16);
      const blue = (data[u + place] as number) - 128;
      const red = (data[v + place] as number) - 128;
      rgb[to++] = brightness + 1.596 * red;
      rgb[to++] = brightness - 0.392 * blue - 0.813 * red;
      rgb[to++] = brightness + 2.017 * blue;
    }
  }
  return new Uint8Array(rgb.buffer);
}
