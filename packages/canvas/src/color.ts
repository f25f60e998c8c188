/** A color in Oklab: lightness 0 to 1, and two axes of about ±0.4. Mixing there keeps colors clean. */
interface Lab {
  l: number;
  a: number;
  b: number;
}

const known = new Map<string, Lab>();

/** Mixes two colors: 0 is the first, 1 the second. */
export function mix(one: string, other: string, share: number): string {
  const [from, to] = [labOf(one), labOf(other)];
  const part = Math.min(1, Math.max(0, share));
  return hexOf({
    l: from.l + (to.l - from.l) * part,
    a: from.a + (to.a - from.a) * part,
    b: from.b + (to.b - from.b) * part,
  });
}

/** Moves a color toward white by a share of the distance, or toward black if negative. */
export function lighten(color: string, by: number): string {
  const { l, a, b } = labOf(color);
  const next = by >= 0 ? l + (1 - l) * by : l * (1 + by);
  const fade = by >= 0 ? 1 - by * 0.6 : 1 + by * 0.35;
  return hexOf({ l: next, a: a * fade, b: b * fade });
}

export function saturate(color: string, factor: number): string {
  const { l, a, b } = labOf(color);
  return hexOf({ l, a: a * factor, b: b * factor });
}

export function rotateHue(color: string, degrees: number): string {
  const { l, a, b } = labOf(color);
  const [sin, cos] = [Math.sin((degrees * Math.PI) / 180), Math.cos((degrees * Math.PI) / 180)];
  return hexOf({ l, a: a * cos - b * sin, b: a * sin + b * cos });
}

/** Moves a color's hue toward another, keeping its lightness. */
export function shiftHue(color: string, tint: string, share: number): string {
  const [own, other] = [labOf(color), labOf(tint)];
  const strength = Math.max(0.6, Math.hypot(own.a, own.b) / Math.max(0.02, Math.hypot(other.a, other.b)));
  const aim = {
    l: own.l * 0.85 + other.l * 0.15,
    a: other.a * Math.min(1, strength),
    b: other.b * Math.min(1, strength),
  };
  return hexOf({
    l: own.l + (aim.l - own.l) * share,
    a: own.a + (aim.a - own.a) * share,
    b: own.b + (aim.b - own.b) * share,
  });
}

/** Returns 0 for black to 1 for white. */
export function lightnessOf(color: string): number {
  return labOf(color).l;
}

export function colorOf(lightness: number, chroma: number, hue: number): string {
  const angle = (hue * Math.PI) / 180;
  return hexOf({ l: lightness, a: chroma * Math.cos(angle), b: chroma * Math.sin(angle) });
}

/** Returns the perceived difference; 0.1 is clearly visible. */
export function colorDistance(one: string, other: string): number {
  const [from, to] = [labOf(one), labOf(other)];
  return Math.hypot(from.l - to.l, from.a - to.a, from.b - to.b);
}

// Björn Ottosson's definition of Oklab.

function labOf(hex: string): Lab {
  const found = known.get(hex);
  if (found) return found;
  const value = Number.parseInt(hex.slice(1), 16);
  const [red, green, blue] = [value >> 16, (value >> 8) & 255, value & 255].map((part) => linear(part / 255)) as [
    number,
    number,
    number,
  ];
  const long = Math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue);
  const medium = Math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue);
  const short = Math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue);
  const lab = {
    l: 0.2104542553 * long + 0.793617785 * medium - 0.0040720468 * short,
    a: 1.9779984951 * long - 2.428592205 * medium + 0.4505937099 * short,
    b: 0.0259040371 * long + 0.7827717662 * medium - 0.808675766 * short,
  };
  if (known.size > 5_000) known.clear();
  known.set(hex, lab);
  return lab;
}

function hexOf({ l, a, b }: Lab): string {
  const long = (l + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const medium = (l - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const short = (l - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const parts = [
    4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
    -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
    -0.0041960863 * long - 0.7034186147 * medium + 1.707614701 * short,
  ];
  const value = parts.reduce((sum, part) => sum * 256 + Math.round(255 * gamma(Math.min(1, Math.max(0, part)))), 0);
  return `#${value.toString(16).padStart(6, '0')}`;
}

function linear(part: number): number {
  return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
}

function gamma(part: number): number {
  return part <= 0.0031308 ? part * 12.92 : 1.055 * part ** (1 / 2.4) - 0.055;
}
