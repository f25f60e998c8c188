import type { BatchHead } from '@chorus/contract';
import { describe, expect, test } from 'vitest';
import { checkItem } from './check-item.ts';

const head = (over: Partial<BatchHead> = {}): BatchHead => ({
  kind: 'iris.image',
  defaults: {},
  metadata: {},
  ...over,
});

function problemsOf(item: unknown, of = head()): string[] {
  const checked = checkItem(of, item, 'body.items.17');
  return 'problems' in checked ? checked.problems.map(({ path, message }) => `${path}: ${message}`) : [];
}

test('merges defaults into a body, whose own fields take precedence', () => {
  expect(problemsOf({ body: { prompt: 'A sun' } })).toEqual([]);
  expect(problemsOf({}, head({ defaults: { prompt: 'A sun', size: '64x64' } }))).toEqual([]);
  expect(problemsOf({ body: { prompt: 'A sun', size: '64x64' } }, head({ defaults: { size: 'huge' } }))).toEqual([]);
  expect(problemsOf({ body: {} }, head({ defaults: { size: 'huge' } }))).toContainEqual(
    expect.stringContaining('body.items.17.body.size: must be width x height'),
  );
});

test.each([
  [{ body: { prompt: ' ' } }, /^body\.items\.17\.body\.prompt: /],
  [
    { body: { prompt: 'x', colour: 'red' } },
    /^body\.items\.17\.body\.colour: is not a known field; allowed: prompt, prompts, n, /,
  ],
  [
    { body: { prompt: 'x' }, extra: 1 },
    /^body\.items\.17\.extra: is not a known field; allowed: id, kind, body, after$/,
  ],
  [{ body: { prompt: 'x' }, id: 'a b' }, /^body\.items\.17\.id: must be 1 to 128/],
  [
    { body: { prompt: 'x' }, kind: 'iris.music' },
    /^body\.items\.17\.kind: must be one of: chat\.completion, embedding, iris\.image, /,
  ],
  [{ kind: 'iris.ocr', body: {} }, /^body\.items\.17\.body\.asset_id: send exactly one of/],
  [{ kind: 'chat.completion', body: { message: 'Hi' } }, /^body\.items\.17\.body\.messages: is required in a batch$/],
  [
    { kind: 'chat.completion', body: { messages: [{ role: 'user', content: 'Hi' }], session_id: 'ses_1' } },
    /body\.session_id/,
  ],
  [{ body: { prompt: 'x', stream: true } }, /^body\.items\.17\.body\.stream: is not supported for items of a batch/],
  ['text', /^body\.items\.17: /],
  [null, /^body\.items\.17: /],
])('rejects %j with the place and the allowed values', (item, problem) => {
  expect(problemsOf(item)[0]).toMatch(problem);
});

test('requires a kind, from the item or the batch', () => {
  expect(problemsOf({ body: { prompt: 'x' } }, head({ kind: undefined }))).toEqual([
    'body.items.17.kind: is required where the batch has no `kind`',
  ]);
  expect(problemsOf({ kind: 'iris.image', body: { prompt: 'x' } }, head({ kind: undefined }))).toEqual([]);
});

test('rejects excessive nesting without following it', () => {
  const deep = JSON.parse(`${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`);
  const chat = { kind: 'chat.completion', body: { messages: [{ role: 'user', content: 'Hi' }], x: deep } };
  expect(problemsOf(chat)).toEqual(['body.items.17.body: must nest at most 32 levels deep']);
});

describe('references', () => {
  const from = (path = 'output.0.asset.id') => ({ $from: 'a', path });

  test('stand for any value, while the rest is checked', () => {
    const ocr = { kind: 'iris.ocr', after: ['a'] };
    expect(problemsOf({ ...ocr, body: { asset_id: from() } })).toEqual([]);
    expect(problemsOf({ ...ocr, body: { asset_id: from(), url: 'https://example.org/' } })[0]).toMatch(
      /exactly one of/,
    );
    expect(problemsOf({ ...ocr, body: { asset_id: '{{a.output.0.asset.id}}' } })).toEqual([]);
    const messages = [{ role: 'user', content: 'Hi' }];
    const knowledge = { entry_ids: [from()] };
    expect(problemsOf({ kind: 'chat.completion', after: ['a'], body: { messages, knowledge } })).toEqual([]);
    expect(problemsOf({ ...ocr, body: { asset_id: from(), pages: 'all' } })[0]).toMatch(/body\.pages/);
    const image = { after: ['a'], body: { prompt: 'x', seed: from('output.0.asset.width'), n: from('metadata.n') } };
    expect(problemsOf(image)).toEqual([]);
    expect(problemsOf({ after: ['a'], body: { prompt: 'x', reference_asset_ids: [from(), 'ast_1'] } })).toEqual([
      expect.stringContaining('body.reference_asset_ids.1: must be an id'),
    ]);
  });

  test('require the item in `after`', () => {
    const message = 'refers to item "a", which `after` does not name';
    expect(problemsOf({ after: ['b'], body: { prompt: 'See {{a.output.0.text}}' } })).toEqual([
      `body.items.17.body.prompt: ${message}`,
    ]);
    expect(problemsOf({ body: { prompt: from() } })).toEqual([`body.items.17.body.prompt: ${message}`]);
    expect(problemsOf({ after: ['a'], body: { prompt: { $from: 'a', path: 'secret' } } })[0]).toMatch(/`path` must/);
  });

  test('are plain text in an item without `after`', () => {
    expect(problemsOf({ body: { prompt: 'Write {{a.output.0.text}}' } })).toEqual([]);
  });
});
