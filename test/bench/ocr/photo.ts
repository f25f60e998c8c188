import sharp from 'sharp';
import { seeded } from './seeded.ts';

interface Gray {
  data: Uint8Array;
  width: number;
  height: number;
}

/** How a camera or scanner sees a sheet. Shares are of the picture's size. */
export interface View {
  width: number;
  height: number;
  /** Free space around the sheet, in shares. */
  margin?: number;
  /** Degrees, clockwise. */
  turn?: number;
  /** How much narrower the far edge is, in shares. */
  perspective?: number;
  /** Height of creases in pixels of the sheet. */
  crumple?: number;
  /** Gray level of the background. */
  table?: number;
  /** Darkening towards one side, in 8-bit steps. */
  shadow?: number;
  /** Standard deviations in pixels and in 8-bit steps. */
  blur?: number;
  noise?: number;
  jpegQuality?: number;
  seed?: number;
}

/** Takes a picture of a sheet. */
export async function photograph(sheet: Gray, view: View): Promise<Buffer> {
  const { width, height, crumple = 0, table = 255, shadow = 0, noise = 0, seed = 1 } = view;
  const random = seeded(seed);
  const toSheet = inverse(homography(sheet, cornersOf(view)));
  const phase = Array.from({ length: 6 }, () => random() * 7);
  const [p0 = 0, p1 = 0, p2 = 0, p3 = 0] = phase;
  const data = new Uint8Array(width * height);
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const w = toSheet[6] * x + toSheet[7] * y + toSheet[8];
      let u = (toSheet[0] * x + toSheet[1] * y + toSheet[2]) / w;
      let v = (toSheet[3] * x + toSheet[4] * y + toSheet[5]) / w;
      let light = 1;
      if (crumple > 0) {
        const [a, b] = [(u / sheet.width) * 6 + p0, (v / sheet.width) * 5 + p1];
        light -= crumple * 0.015 * (Math.sin(a * 1.7 + b) + Math.abs(Math.sin(b * 1.3 - a * 0.6 + p2)));
        v += crumple * Math.sin(a + 0.5 * b);
        u += crumple * 0.6 * Math.sin(b * 1.4 + p3);
      }
      const on = u >= 0 && v >= 0 && u < sheet.width - 1 && v < sheet.height - 1;
      const seen = on
        ? sample(sheet, u, v)
        : table + 14 * Math.sin(x * 0.021 + 3 * Math.sin(y * 0.004)) * Number(table < 250);
      const dark = shadow * smooth((x / width) * 0.8 + (y / height) * 0.5 - 0.35);
      const grain = noise === 0 ? 0 : noise * (random() + random() + random() + random() - 2) * 1.73;
      data[y * width + x] = Math.max(0, Math.min(255, Math.round(seen * light * (1 - dark / 255) + grain)));
    }
  }
  let image = sharp(data, { raw: { width, height, channels: 1 } });
  if (view.blur) image = image.blur(view.blur);
  return view.jpegQuality ? image.jpeg({ quality: view.jpegQuality }).toBuffer() : image.png().toBuffer();
}

const smooth = (at: number) => Math.max(0, Math.min(1, at)) ** 2 * (3 - 2 * Math.max(0, Math.min(1, at)));

function sample({ data, width }: Gray, u: number, v: number): number {
  const [x, y] = [Math.floor(u), Math.floor(v)];
  const [right, down] = [u - x, v - y];
  const at = y * width + x;
  const above = (data[at] as number) * (1 - right) + (data[at + 1] as number) * right;
  const below = (data[at + width] as number) * (1 - right) + (data[at + width + 1] as number) * right;
  return above * (1 - down) + below * down;
}

type Point = [number, number];
type Matrix = [number, number, number, number, number, number, number, number, number];

/** Returns where the corners of the sheet are in the picture. */
function cornersOf({ width, height, margin = 0, turn = 0, perspective = 0 }: View): Point[] {
  const [w, h] = [width * (1 - 2 * margin), height * (1 - 2 * margin)];
  const narrower = (w * perspective) / 2;
  const corners: Point[] = [
    [-w / 2 + narrower, -h / 2],
    [w / 2 - narrower, -h / 2],
    [w / 2, h / 2],
    [-w / 2, h / 2],
  ];
  const angle = (turn * Math.PI) / 180;
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  return corners.map(([x, y]) => [width / 2 + x * cos - y * sin, height / 2 + x * sin + y * cos]);
}

/** Maps the sheet onto four corners. */
function homography({ width, height }: Gray, corners: Point[]): Matrix {
  const [[x0, y0], [x1, y1], [x2, y2], [x3, y3]] = corners as [Point, Point, Point, Point];
  const [dx1, dx2, dx3] = [x1 - x2, x3 - x2, x0 - x1 + x2 - x3];
  const [dy1, dy2, dy3] = [y1 - y2, y3 - y2, y0 - y1 + y2 - y3];
  const det = dx1 * dy2 - dx2 * dy1;
  const g = (dx3 * dy2 - dx2 * dy3) / det;
  const h = (dx1 * dy3 - dx3 * dy1) / det;
  const [a, b, c, d] = [x1 - x0 + g * x1, x3 - x0 + h * x3, y1 - y0 + g * y1, y3 - y0 + h * y3];
  return [a / width, b / height, x0, c / width, d / height, y0, g / width, h / height, 1];
}

function inverse([a, b, c, d, e, f, g, h, i]: Matrix): Matrix {
  return [
    e * i - f * h,
    c * h - b * i,
    b * f - c * e,
    f * g - d * i,
    a * i - c * g,
    c * d - a * f,
    d * h - e * g,
    b * g - a * h,
    a * e - b * d,
  ];
}
