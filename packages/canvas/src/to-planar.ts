/** Half a unit and the middle of the range, for a sum of four pixels in 65,536ths. */
const MIDDLE = 128 * 2 ** 18 + 2 ** 17;

/**
 * Converts RGBA to video planes: brightness, and color at half size (I420, BT.709, limited range).
 *
 * @param width even, like `height`
 */
export function toPlanar(pixels: Uint8Array, width: number, height: number): Uint8Array<ArrayBuffer> {
  const size = width * height;
  const planar = new Uint8Array(size + size / 2);
  let u = size;
  let v = size + size / 4;
  for (let y = 0; y < height; y += 2) {
    for (let x = 0; x < width; x += 2) {
      let red = 0;
      let green = 0;
      let blue = 0;
      for (let corner = 0; corner < 4; corner += 1) {
        const dot = (y + (corner >> 1)) * width + x + (corner & 1);
        const r = pixels[dot * 4] as number;
        const g = pixels[dot * 4 + 1] as number;
        const b = pixels[dot * 4 + 2] as number;
        red += r;
        green += g;
        blue += b;
        planar[dot] = (1_081_344 + 11_966 * r + 40_254 * g + 4_064 * b) >> 16;
      }
      planar[u++] = (MIDDLE - 6_596 * red - 22_189 * green + 28_784 * blue) >> 18;
      planar[v++] = (MIDDLE + 28_784 * red - 26_145 * green - 2_639 * blue) >> 18;
    }
  }
  return planar;
}
