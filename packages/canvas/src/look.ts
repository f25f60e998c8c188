import type { Brief } from './brief.ts';
import { colorDistance, colorOf, lighten, lightnessOf, mix, rotateHue, saturate, shiftHue } from './color.ts';
import type { Random } from './random.ts';
import type { Time, World } from './vocabulary.ts';

/** A picture's light, which is applied to all its colors. */
export interface Look {
  time: Time;
  night: boolean;
  sky: readonly [string, string, string];
  sun: string;
  haze: string;
  /** The direction of the light: -1 left, 1 right. */
  side: -1 | 1;
  /** Returns a color in this light and at this distance: 0 near, 1 at the horizon. */
  ink(base: string, distance?: number): string;
  glow(base: string): string;
  /** Colors for objects without a color. */
  accents: readonly string[];
}

interface Hour {
  skies: readonly (readonly [string, string, string])[];
  sun: string;
  ambient: string;
  share: number;
}

/** Skies are written as the colors of their top, middle and horizon. */
const hour = (sun: string, ambient: string, share: number, ...skies: string[]): Hour => ({
  skies: skies.map((sky) => sky.split(' ') as [string, string, string]),
  sun,
  ambient,
  share,
});

const HOURS: Record<Time, Hour> = {
  dawn: hour(
    '#fff2c9',
    '#c78fa0',
    0.17,
    '#6d7fb8 #e3a9ad #ffe3bd',
    '#5f86b5 #c9b6c9 #ffd9b0',
    '#7a78b4 #f0b3a4 #fff0cf',
  ),
  morning: hour('#fff9dc', '#f3e2b8', 0.07, '#5ea8dd #a6d5ef #fbf3da', '#6cb2d8 #bfe0e6 #fdf6e0'),
  day: hour(
    '#fff7cf',
    '#ffffff',
    0.03,
    '#3a8ad0 #86c5eb #e4f4f5',
    '#2f7fc4 #79bde6 #d8eef4',
    '#4a9ad6 #9fd2ea #f0f6e6',
  ),
  golden: hour('#fff0b8', '#e8973f', 0.2, '#7d9cbd #f2c684 #ffe9b0', '#8fa7b0 #f6cf8f #fff0c4'),
  sunset: hour(
    '#ffe08a',
    '#8e3a5c',
    0.26,
    '#2e2d63 #c4506f #ffb561',
    '#243f72 #e0725f #ffd380',
    '#3d2352 #ea5d63 #ffc874',
    '#41518c #e98a72 #ffdc9a',
  ),
  dusk: hour(
    '#ffd9b5',
    '#35306e',
    0.36,
    '#1d2551 #5d4c8b #e391a3',
    '#1b2f5a #4c6ca0 #e6b59d',
    '#2a2054 #7a4d8e #f0a58f',
  ),
  night: hour(
    '#f4f0d8',
    '#101a45',
    0.52,
    '#060a20 #121e49 #2f4a7c',
    '#0a0a26 #1c1f52 #43427e',
    '#04141f #0d2f47 #27617a',
  ),
};

const WORLDS: Partial<Record<World, Pick<Hour, 'ambient' | 'share'>>> = {
  space: { ambient: '#2a2f5c', share: 0.12 },
  underwater: { ambient: '#1c7f9e', share: 0.14 },
  abstract: { ambient: '#ffffff', share: 0 },
};

/** @param palette colors of the reference images, most common first; may be empty */
export function chooseLook(brief: Brief, world: World, random: Random, palette: readonly string[]): Look {
  const time = timeOf(brief, random);
  const hour = { ...HOURS[time], ...WORLDS[world] };
  const wanted = brief.places.get('sky') ?? null;
  const hue = random.between(-9, 9);
  const grade = gradeOf(brief, palette, hue);
  const dull = brief.weathers.has('storm') ? 0.62 : brief.weathers.has('rain') || brief.weathers.has('fog') ? 0.42 : 0;
  const grey = time === 'night' ? '#2a3350' : time === 'day' || time === 'morning' ? '#a9b4bb' : '#7d7688';
  const chosen = random.pick(hour.skies);
  const tones = chosen.map((color, index) => {
    const tone = wanted === null ? color : mix(lighten(wanted, [-0.25, 0.1, 0.5][index] as number), color, 0.12);
    return grade(mix(tone, grey, dull));
  }) as unknown as Look['sky'];
  const haze = mix(tones[2], tones[1], 0.25);
  const share = hour.share + (brief.weathers.has('storm') ? 0.15 : 0);
  const accents = [0, 1, 2, 3, 4].map((step) => {
    const base = brief.colors[step % Math.max(1, brief.colors.length)];
    return base && step < brief.colors.length
      ? base
      : colorOf(random.between(0.62, 0.72), 0.16, hue * 8 + step * 72 + 28);
  });
  return {
    time,
    night: (time === 'night' || time === 'dusk') && world !== 'space',
    sky: tones,
    sun: grade(brief.lights.get(time === 'night' ? 'moon' : 'sun')?.color ?? hour.sun),
    haze,
    side: random.chance(0.5) ? -1 : 1,
    ink: (base, distance = 0) =>
      mix(grade(mix(base, hour.ambient, share * (1.12 - 0.34 * lightnessOf(base)))), haze, distance ** 0.8 * 0.86),
    glow: grade,
    accents,
  };
}

function timeOf({ time, lights, moods, weathers, styles }: Brief, random: Random): Time {
  if (time) return time;
  const shines = (light: 'moon' | 'star' | 'aurora' | 'comet') => (lights.get(light)?.count ?? 0) > 0;
  if (shines('moon') || shines('star') || shines('aurora') || shines('comet')) return 'night';
  if (styles.has('neon')) return random.pick(['night', 'dusk', 'sunset']);
  if (weathers.has('fog')) return random.pick(['morning', 'dawn', 'day']);
  if (moods.has('gloomy')) return random.pick(['dusk', 'night', 'dusk', 'day']);
  if (weathers.has('rain') || weathers.has('storm') || weathers.has('snowfall'))
    return random.pick(['day', 'morning', 'dusk', 'day']);
  if ((lights.get('sun')?.count ?? 0) > 0) return random.pick(['day', 'morning', 'golden', 'sunset']);
  return random.pick(['day', 'day', 'morning', 'golden', 'sunset', 'dawn']);
}

/** Returns a filter for all colors, by moods, styles, named colors and references. */
function gradeOf(brief: Brief, palette: readonly string[], hue: number): (color: string) => string {
  const { moods, styles, colors, season } = brief;
  const steps: ((color: string) => string)[] = [(color) => rotateHue(color, hue)];
  if (moods.has('vivid')) steps.push((color) => saturate(color, 1.3));
  if (moods.has('gloomy')) steps.push((color) => lighten(saturate(color, 0.62), -0.16));
  if (moods.has('calm')) steps.push((color) => mix(saturate(color, 0.88), '#e9e6da', 0.06));
  if (moods.has('dreamy')) steps.push((color) => shiftHue(mix(color, '#f3d7f0', 0.1), '#b79be8', 0.22));
  if (moods.has('epic'))
    steps.push((color) => (lightnessOf(color) < 0.55 ? lighten(color, -0.12) : saturate(color, 1.15)));
  if (season === 'winter') steps.push((color) => mix(saturate(color, 0.82), '#cfe0ee', 0.08));
  if (styles.has('pastel')) steps.push((color) => mix(saturate(color, 0.8), '#fbf3ee', 0.36));
  if (styles.has('neon')) steps.push((color) => saturate(color, 1.35));
  if (styles.has('watercolor')) steps.push((color) => mix(saturate(color, 0.92), '#fbf7ee', 0.16));
  if (styles.has('ukiyoe')) steps.push((color) => mix(saturate(color, 0.72), '#eadfc0', 0.14));
  if (colors.length > 0 && colors.length < 4) steps.push((color) => shiftHue(color, nearest(colors, color), 0.42));
  if (palette.length > 0)
    steps.push((color) => {
      const aim = nearest(palette, color);
      return mix(shiftHue(color, aim, 0.75), aim, 0.22);
    });
  if (styles.has('ink')) steps.push((color) => mix(saturate(color, 0.4), '#f8f2e4', 0.42));
  if (styles.has('sepia')) steps.push((color) => mix(shiftHue(color, '#a9814f', 0.86), '#d9b988', 0.08));
  if (styles.has('mono')) steps.push((color) => saturate(color, 0));
  const graded = new Map<string, string>();
  return (color) => {
    const found = graded.get(color) ?? steps.reduce((value, step) => step(value), color);
    graded.set(color, found);
    return found;
  };
}

function nearest(list: readonly string[], color: string): string {
  return list.reduce((best, one) => (colorDistance(one, color) < colorDistance(best, color) ? one : best));
}
