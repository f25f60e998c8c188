import { Resvg } from '@resvg/resvg-js';
import { expect, test } from 'vitest';
import { drawPicture, type PictureWish } from './picture.ts';
import { PLACES, STYLES } from './scene-words.ts';
import { KINDS } from './things/kinds.ts';
import { SHAPES, THINGS } from './words.ts';

const wishOf = (prompt: string, more: Partial<PictureWish> = {}): PictureWish => ({
  prompt,
  negativePrompt: '',
  seed: 1,
  width: 320,
  height: 320,
  palette: [],
  ...more,
});

/** All but what is written. */
const drawnIn = (svg: string) => svg.replace(/>[^<]+<\/text>/g, '></text>');

/** What an SVG draws has numbers everywhere, and can be read. */
function sane(wish: PictureWish, t = 0): string {
  const { svg } = drawPicture(wish, { t, camera: { x: t === 0 ? 0 : 0.4, zoom: t === 0 ? 1 : 1.05 } });
  const found = /NaN|undefined|Infinity|null/.exec(drawnIn(svg));
  expect(found && svg.slice(Math.max(0, found.index - 80), found.index + 40), wish.prompt).toBeNull();
  expect(() => new Resvg(svg, { font: { loadSystemFonts: false } }), wish.prompt).not.toThrow();
  return svg;
}

test('every word for a thing draws it', () => {
  const bare = sane(wishOf('a hill, day'));
  for (const phrases of Object.values({ ...THINGS, ...SHAPES })) {
    const words = phrases.split('|');
    // The first word and the last one: some words change what is drawn.
    for (const word of new Set([words[0], words.at(-1)])) {
      const svg = sane(wishOf(`a ${word} on a hill, day`));
      expect(svg.length, word).toBeGreaterThan(bare.length * 0.5);
      expect(svg === bare, word).toBe(false);
    }
  }
  expect(Object.keys(KINDS).sort()).toEqual(Object.keys({ ...THINGS, ...SHAPES }).sort());
});

test('every place, style, hour and weather can be drawn, and lives', () => {
  for (const place of Object.values(PLACES)) sane(wishOf(`a cat in a ${place.split('|')[0]}`), 1.5);
  for (const style of Object.values(STYLES)) sane(wishOf(`a boat, mountains, ${style.split('|')[0]}`), 1.5);
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
      sane(wishOf(`a village, ${hour}, ${weather}, autumn`), 0.7);
});

test('a seed makes a composition: the same one the same, others others', () => {
  const draw = (seed: number) => sane(wishOf('two red boats on a lake', { seed }));
  expect(new Set([1, 2, 3, 4, 5, 6, 1, 2, 3].map(draw)).size).toBe(6);
  expect(draw(1) === sane(wishOf('two red boats on a lake.', { seed: 1 }))).toBe(false);
});

test('each picture says how it was made, and what it was asked for', () => {
  const svg = sane(wishOf('a zygomorphic obelisk', { width: 800, height: 600 }));
  expect(svg.includes('procedurally drawn by Chorus')).toBe(true);
  expect(svg.includes('a zygomorphic obelisk')).toBe(true);
  const untitled = sane(wishOf('a zygomorphic obelisk', { width: 800, height: 600, negativePrompt: 'text' }));
  expect(untitled.includes('drawn by Chorus')).toBe(true);
  expect(untitled.includes('zygomorphic')).toBe(false);
  for (const width of [64, 100, 150, 4_096])
    expect(sane(wishOf('a cat', { width, height: 64 })).includes('drawn')).toBe(true);
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
])('hostile prompts are words: %s', (_name, prompt) => {
  const svg = sane(wishOf(prompt, { width: 512, height: 512 }));
  expect(svg.length).toBeLessThan(1_500_000);
  expect(/<(?:script|image|foreignObject|use)|href=|file:/.exec(drawnIn(svg))).toBeNull();
  for (const code of [0, 8, 27, 0x200b, 0x202e, 0x2066, 0xfffe])
    expect(svg.includes(String.fromCharCode(code))).toBe(false);
  expect(svg.isWellFormed()).toBe(true);
});
