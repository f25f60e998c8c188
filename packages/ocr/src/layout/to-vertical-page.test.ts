import { expect, test } from 'vitest';
import { toVerticalPage } from './to-vertical-page.ts';

const facts = { number: 1, width: 400, height: 600, rotation: 0, source: 'image' } as const;

/** Builds a column of words whose letters are 20 wide and high. */
function column(words: string[], x: number, y: number) {
  let top = y;
  return words.map((text) => {
    const box = { x, y: top, width: 20, height: text.length * 20 };
    top += box.height;
    return { words: [{ text, box, confidence: 0.9 }], box, size: 20, bold: false };
  });
}

test('joins words and columns without spaces, and starts paragraphs at indented columns', () => {
  const page = toVerticalPage(facts, [
    column(['吾輩', 'は', '猫である', '。'], 300, 50),
    column(['名前', 'は', 'まだ無い。'], 260, 50),
    column(['どこで', '生れたか'], 220, 70),
  ]);
  expect(page.text).toBe('吾輩は猫である。名前はまだ無い。\n\nどこで生れたか');
  expect(page).toMatchObject({ markdown: page.text, confidence: 0.9 });
  expect(page.lines?.map(({ text, box }) => `${text} ${box.x}`)).toEqual([
    '吾輩は猫である。 300',
    '名前はまだ無い。 260',
    'どこで生れたか 220',
  ]);
});
