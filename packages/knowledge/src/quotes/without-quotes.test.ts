import type { CitationItem } from '@chorus/contract';
import { expect, test } from 'vitest';
import { outputWithoutQuotes, REMOVED, withoutQuotes } from './without-quotes.ts';

const citation = (marker: number, entry_id: string, quote: string): CitationItem => ({
  type: 'citation',
  marker,
  entry_id,
  chunk_id: `chk_${marker}`,
  title: 'Vaults',
  heading_path: ['Codes'],
  page: null,
  quote,
  score: 0.5,
});

const gone = citation(1, 'kno_gone', 'The code of the old vault is ZEBRA.');
const kept = citation(2, 'kno_kept', 'Lamps are lit at dusk.');

const contentOf = (content: string) => withoutQuotes({ content, citations: [gone, kept] }, 'kno_gone').content;

test.each([
  [
    'a marker before the period',
    'It is ZEBRA [1]. Lamps are lit at dusk [2].',
    `${REMOVED} [1] Lamps are lit at dusk [2].`,
  ],
  ['a marker after it', 'It is ZEBRA. [1] Lamps are lit at dusk. [2]', `${REMOVED} [1] Lamps are lit at dusk. [2]`],
  ['several in a row', 'It is ZEBRA [2][1]. Lamps are lit.', `${REMOVED} [2][1] Lamps are lit.`],
  [
    'a marker at the start of a line',
    'This is known:\n\n[1] says that it is ZEBRA.',
    `This is known:\n\n${REMOVED}[1]`,
  ],
  ['a marker within the sentence', 'According to [1], it is ZEBRA. Lamps are lit.', `${REMOVED} [1] Lamps are lit.`],
  ['list items', '- It is ZEBRA. [1]\n- Lamps are lit. [2]', `- ${REMOVED} [1]\n- Lamps are lit. [2]`],
  [
    'verbatim repetition without a marker',
    'Lamps are lit. So the code of the OLD vault is ZEBRA!',
    `Lamps are lit. ${REMOVED}`,
  ],
])('removes statements of a deleted document: %s', (_, content, left) => {
  const text = contentOf(content);
  expect(text).not.toContain('ZEBRA');
  expect(text.replace(/\s+/g, ' ')).toBe(left.replace(/\s+/g, ' '));
});

test('keeps an answer that does not cite the document', () => {
  const answer = { content: 'The code of the old vault is ZEBRA [2].', citations: [kept] };
  expect(withoutQuotes(answer, 'kno_gone')).toEqual(answer);
});

test('keeps the positions of citations and passages, without their quotes', () => {
  const passage = { id: 'c', object: 'knowledge.chunk', entry_id: 'kno_gone', revision: 1, title: 'Vaults' } as const;
  const found = { ...passage, text: 'ZEBRA', heading_path: ['Codes'], page: null, position: 0, score: 1 };
  const output = outputWithoutQuotes(
    [{ type: 'text', text: 'It is ZEBRA [1]. And lamps [2].' }, gone, kept, { type: 'passage', passage: found }],
    'kno_gone',
  );
  expect(JSON.stringify(output)).not.toMatch(/ZEBRA|Codes","page":null,"position/);
  expect(output[1]).toMatchObject({ marker: 1, entry_id: 'kno_gone', quote: '', title: '', heading_path: [] });
  expect(output[2]).toEqual(kept);
  expect(output[3]).toMatchObject({ passage: { entry_id: 'kno_gone', text: '', title: '' } });
});

test('removes other model output next to an answer that quotes the document', () => {
  const call = { id: 'c', name: 'open', arguments: '{"code":"ZEBRA"}', signature: 'ZEBRA' };
  const tokens = [{ token: 'ZEBRA', logprob: 0, bytes: null, top_logprobs: [] }];
  const times = { status: 'requested', result: 'ZEBRA', started_at: null, finished_at: null } as const;
  const items = [
    { type: 'reasoning', text: 'It is ZEBRA.', signature: 'ZEBRA' },
    { type: 'text', text: 'It is ZEBRA [1].', logprobs: tokens },
    { type: 'tool_call', ...call, ...times },
  ] as const;
  const output = outputWithoutQuotes([...items, gone], 'kno_gone');
  expect(JSON.stringify(output)).not.toContain('ZEBRA');
  expect(output[2]).toMatchObject({ id: 'c', name: 'open', arguments: '{}' });
  expect(outputWithoutQuotes([...items, kept], 'kno_gone')).toEqual([...items, kept]);

  const answer = {
    content: 'It is ZEBRA [1].',
    citations: [gone],
    reasoning: [{ text: 'It is ZEBRA.' }],
    tool_calls: [{ id: 'c', type: 'function' as const, function: { name: 'open', arguments: '"ZEBRA"' } }],
  };
  const blank = withoutQuotes(answer, 'kno_gone');
  expect(JSON.stringify(blank)).not.toContain('ZEBRA');
  expect(blank).toMatchObject({
    reasoning: [],
    tool_calls: [{ id: 'c', function: { name: 'open', arguments: '{}' } }],
  });
});

test('blanks results of calls that quote a document, even if the answer does not cite it', () => {
  const call = {
    ...({ type: 'tool_call', id: 'a', name: 'search', arguments: '{"q":"vault"}', status: 'succeeded' } as const),
    ...{ result: 'ZEBRA', started_at: null, finished_at: null, step: 0, sources: ['kno_gone', 'kno_kept'] },
  };
  const text = { type: 'text', text: 'Nothing was found.' } as const;
  const blank = { ...call, arguments: '{}', result: null, sources: ['kno_kept'] };
  expect(outputWithoutQuotes([call, text], 'kno_gone')).toEqual([blank, text]);
  const { id, name, arguments: args, status, result } = call;
  const steps = [{ content: 'Searching.', tool_calls: [{ id, name, arguments: args, status, result }] }];
  const message = { content: 'Nothing was found.', citations: [], steps, sources: ['kno_gone'] };
  expect(withoutQuotes(message, 'kno_gone')).toEqual({
    ...message,
    steps: [{ content: '', tool_calls: [{ id, name, arguments: '{}', status, result: null }] }],
    sources: [],
  });
});
