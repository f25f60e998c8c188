import { expect, test } from 'vitest';
import { CitedText } from './cited-text.ts';
import type { Passage } from './find-passages.ts';

const passage = (number: number, text: string): Passage => ({
  id: `kno_${number}:1:0`,
  scope_key: 'personal:usr_1',
  tags: [],
  entry_id: `kno_${number}`,
  revision: 1,
  title: `Document ${number}`,
  text,
  heading_path: ['Part'],
  page: number,
  position: 0,
  score: 1 / number,
  textScore: 1,
  vectorScore: 1,
  similarity: 1,
});

const SOURCES = [
  passage(1, 'The old mill burned down in 1892. It was built of oak. Nobody was hurt.'),
  passage(2, 'Tea is grown in Assam and in\nDarjeeling. The harvest begins in March.'),
  passage(3, '茶は中国から来た。京都では抹茶が有名である。'),
];

/** Reads an answer in pieces of the given length. */
function read(answer: string, pieceLength = answer.length) {
  const cited = new CitedText(SOURCES, 'When did the mill burn?');
  const pieces = [];
  for (let at = 0; at < answer.length; at += Math.max(1, pieceLength))
    pieces.push(cited.take(answer.slice(at, at + Math.max(1, pieceLength))));
  pieces.push(cited.rest());
  const text = pieces.map((piece) => piece.text).join('');
  const citations = pieces.flatMap((piece) => piece.citations);
  for (const { quote, chunk_id } of citations) expect(SOURCES.find(({ id }) => id === chunk_id)?.text).toContain(quote);
  return { text, quotes: citations.map(({ marker, entry_id, quote }) => [marker, entry_id, quote]), citations };
}

const MILL = 'The old mill burned down in 1892.';
const OAK = 'It was built of oak.';
const TEA = 'Tea is grown in Assam and in\nDarjeeling.';
const HARVEST = 'The harvest begins in March.';

test.each<[string, string, string, unknown[]]>([
  ['one', 'In 1892 the mill burned [1].', 'In 1892 the mill burned [1].', [[1, 'kno_1', MILL]]],
  ['after the period', 'The mill burned in 1892. [1]', 'The mill burned in 1892. [1]', [[1, 'kno_1', MILL]]],
  [
    'numbered in order, with a quote each',
    'Tea comes from Darjeeling [2]. Its walls were of oak [1], and the mill burned in 1892 [1]. Assam grows tea [2].',
    'Tea comes from Darjeeling [1]. Its walls were of oak [2], and the mill burned in 1892 [3]. Assam grows tea [1].',
    [
      [1, 'kno_2', TEA],
      [2, 'kno_1', OAK],
      [3, 'kno_1', MILL],
    ],
  ],
  [
    'several at once',
    'It burned in 1892 [1, 2][1].',
    'It burned in 1892 [1][2].',
    [
      [1, 'kno_1', MILL],
      [2, 'kno_2', TEA],
    ],
  ],
  [
    'a run',
    'Burned in 1892 [1-2]',
    'Burned in 1892 [1][2]',
    [
      [1, 'kno_1', MILL],
      [2, 'kno_2', TEA],
    ],
  ],
  [
    'other notations',
    'The harvest is in March [Source 2] 【2†tea】[^2].',
    'The harvest is in March [1].',
    [[1, 'kno_2', HARVEST]],
  ],
  ['numbers without a source', 'The moon is far [7]. Nothing [0] here [4,9].', 'The moon is far. Nothing here.', []],
  [
    'quotes in the wording of the source',
    'They say “tea is grown in Assam and in Darjeeling.” [2]',
    'They say “tea is grown in Assam and in Darjeeling.” [1]',
    [[1, 'kno_2', 'Tea is grown in Assam and in\nDarjeeling']],
  ],
  [
    'no spaces between words',
    '抹茶は京都で有名です[3]。',
    '抹茶は京都で有名です[1]。',
    [[1, 'kno_3', '京都では抹茶が有名である。']],
  ],
  [
    'code',
    'Write `list[1]` or\n```\nlist[2] = [1]\n```\nand [x] or [ ] or [12a].',
    'Write `list[1]` or\n```\nlist[2] = [1]\n```\nand [x] or [ ] or [12a].',
    [],
  ],
  ['an unclosed bracket', 'An open [1', 'An open [1', []],
  ['nothing', '', '', []],
])('%s', (_name, answer, text, quotes) => {
  for (const length of [answer.length, 1, 2, 3, 7]) {
    const found = read(answer, length);
    expect([found.text, found.quotes]).toEqual([text, quotes]);
  }
});

test('streams text and holds back only possible markers', () => {
  const cited = new CitedText(SOURCES, '');
  expect(cited.take('The mill ').text).toBe('The mill');
  expect(cited.take('burned [').text).toBe(' burned');
  expect(cited.take('not a marker').text).toBe(' [not a marker');
  expect(cited.take(' in 1892 [1')).toEqual({ text: ' in 1892', citations: [] });
  expect(cited.take(']')).toMatchObject({
    text: ' [1]',
    citations: [{ type: 'citation', marker: 1, page: 1, score: 1 }],
  });
});

test('reads hostile answers in less than quadratic time', () => {
  // CPU time of this thread, since others are busy, too.
  const costOf = (answer: string) => {
    const before = process.threadCpuUsage();
    expect(read(answer, 5_000).text.length).toBeLessThanOrEqual(answer.length);
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1_000;
  };
  for (const piece of ['[', '[1', '`', ' ', '[1]', '[1,', '【', 'mill [1]']) {
    const once = costOf(piece.repeat(2_000));
    // Quadratic time would grow a hundredfold for ten times the length. Best of three, since the first run compiles.
    const long = Math.min(...[1, 2, 3].map(() => costOf(piece.repeat(20_000))));
    expect(long).toBeLessThan(Math.max(300, once * 40));
  }
});
