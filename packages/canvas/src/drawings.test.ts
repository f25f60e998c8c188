import { Resvg } from '@resvg/resvg-js';
import { expect, test } from 'vitest';
import { drawPicture, type PictureSpec } from './picture.ts';
import { PLACES, STYLES } from './scene-words.ts';
import { KINDS } from './things/kinds.ts';
import { SHAPES, THINGS } from './words.ts';

const specOf = (prompt: string, more: Partial<PictureSpec> = {}): PictureSpec => ({
  prompt,
  negativePrompt: '',
  seed: 1,
  width: 320,
  height: 320,
  palette: [],
  ...more,
});

/** Removes written text. */
const drawnIn = (svg: string) => svg.replace(/>[^<]+<\/text>/g, '></text>');

/** Draws an SVG, and checks that it is well-formed and has only valid numbers. */
function sane(spec: PictureSpec, t = 0): string {
  const { svg } = drawPicture(spec, { t, camera: { x: t === 0 ? 0 : 0.4, zoom: t === 0 ? 1 : 1.05 } });
  const found = /NaN|undefined|Infinity|null/.exec(drawnIn(svg));
  expect(found && svg.slice(Math.max(0, found.index - 80), found.index + 40), spec.prompt).toBeNull();
  expect(() => new Resvg(svg, { font: { loadSystemFonts: false } }), spec.prompt).not.toThrow();
  return svg;
}

test('draws every word for a thing', () => {
  const bare = sane(specOf('a hill, day'));
  for (const phrases of Object.values({ ...THINGS, ...SHAPES })) {
    const words = phrases.split('|');
    // Tests the first word and the last one, since some words change the drawing.
    for (const word of new Set([words[0], words.at(-1)])) {
      const svg = sane(specOf(`a ${word} on a hill, day`));
      expect(svg.length, word).toBeGreaterThan(bare.length * 0.5);
      expect(svg === bare, word).toBe(false);
    }
  }
  expect(Object.keys(KINDS).sort()).toEqual(Object.keys({ ...THINGS, ...SHAPES }).sort());
});

test('draws and animates every place, style, hour and weather', () => {
  for (const place of Object.values(PLACES)) sane(specOf(`a cat in a ${place.split('|')[0]}`), 1.5);
  for (const style of Object.values(STYLES)) sane(specOf(`a boat, mountains, ${style.split('|')[0]}`), 1.5);
  for (const hour of [
    'dawn',
    'morning',
    'noon',
    'golden hour',
    'sunset',
    'dusk',
    'night with aurora and shooting stars',
  ])
    for (const weather of ['rain', 'storm', 'snow', 'fog', 'rainbow'])
      sane(specOf(`a village, ${hour}, ${weather}, autumn`), 0.7);
});

test('a seed determines the composition', () => {
  const draw = (seed: number) => sane(specOf('two red boats on a lake', { seed }));
  expect(new Set([1, 2, 3, 4, 5, 6, 1, 2, 3].map(draw)).size).toBe(6);
  expect(draw(1) === sane(specOf('two red boats on a lake.', { seed: 1 }))).toBe(false);
});

test('states the prompt and that the picture is procedural', () => {
  const svg = sane(specOf('a zygomorphic obelisk', { width: 800, height: 600 }));
  expect(svg.includes('procedurally drawn by Chorus')).toBe(true);
  expect(svg.includes('a zygomorphic obelisk')).toBe(true);
  const untitled = sane(specOf('a zygomorphic obelisk', { width: 800, height: 600, negativePrompt: 'text' }));
  expect(untitled.includes('drawn by Chorus')).toBe(true);
  expect(untitled.includes('zygomorphic')).toBe(false);
  for (const width of [64, 100, 150, 4_096])
    expect(sane(specOf('a cat', { width, height: 64 })).includes('drawn')).toBe(true);
});

test.each([
  ['markup', '</text><script>alert(1)</script><image href="file:///etc/passwd"/>"\'&amp;'],
  ['control characters', 'a\u0000b\u0008c\u001b[31m\ufffe\uffff'],
  ['halves of characters', 'cat \ud800 dog \udfff'],
  ['turned and hidden text', '\u202ea cat\u202c \u2066\u200b\u200d\ufeff'],
  ['emoji', '👩‍🚀🌈🏳️‍🌈 a rocket 🚀'],
  ['stacked marks', 'z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢L̠ͨͧͩ͘G̴̻͈͍͔̹̑͗̎̅͛́Ǫ̵̹̻̝̳͂̌̌͘!͖̬̰̙̗̿̋ͥͥ̂ͣ̐́́͜͞'],
  ['other scripts', 'котик и мышка, قطة سوداء, שלום, 猫と月'],
  ['one endless word', 'x'.repeat(32_000)],
  ['a long text', 'a cat and a dog, '.repeat(1_900)],
  ['nothing', '\u200b'],
])('treats hostile prompts as words: %s', (_name, prompt) => {
  const svg = sane(specOf(prompt, { width: 512, height: 512 }));
  expect(svg.length).toBeLessThan(1_500_000);
  expect(/<(?:script|image|foreignObject|use)|href=|file:/.exec(drawnIn(svg))).toBeNull();
  for (const code of [0, 8, 27, 0x200b, 0x202e, 0x2066, 0xfffe])
    expect(svg.includes(String.fromCharCode(code))).toBe(false);
  expect(svg.isWellFormed()).toBe(true);
});
