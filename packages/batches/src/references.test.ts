import { describe, expect, test } from 'vitest';
import { findReferences, type ReferredExecution, resolveReferences } from './references.ts';

const image: ReferredExecution = {
  id: 'job_1',
  kind: 'iris.image',
  model: 'embedded/canvas',
  provider: 'embedded',
  output: [
    { type: 'asset', asset: { id: 'ast_7', width: 64, sha256: 'x' } },
    { type: 'text', text: 'A sun {{b.output.0.text}} $& $1' },
  ],
  usage: { cost_usd: null },
  metadata: { page: '3' },
};

const resolve = (body: Record<string, unknown>, of: Record<string, ReferredExecution> = { a: image }) =>
  resolveReferences(body, (item) => of[item], 'body.items.4.body');

describe('finding', () => {
  test('finds references as values and within texts', () => {
    const { references, problems } = findReferences({
      asset_id: { $from: 'a', path: 'output.0.asset.id' },
      messages: [
        { role: 'user', content: 'See {{ a.output.1.text }} and {{x.v1/b.id}}, not {{name}}, {{a}} or {a.id}' },
      ],
      n: 3,
      nothing: null,
    });
    expect(problems).toEqual([]);
    expect(references).toEqual([
      { place: ['asset_id'], item: 'a', path: ['output', '0', 'asset', 'id'] },
      { place: ['messages', 0, 'content'], item: 'a', path: ['output', '1', 'text'] },
      { place: ['messages', 0, 'content'], item: 'x.v1/b', path: ['id'] },
    ]);
  });

  test.each([
    [{ $from: 1, path: 'output' }, '`$from` must be'],
    [{ $from: 'a' }, '`path` must begin with one of id, kind, model'],
    [{ $from: 'a', path: 'owner.user_id' }, '`path` must begin with'],
    [{ $from: 'a', path: 'output.' }, '`path` must begin with'],
    [{ $from: 'a', path: 'output', more: 1 }, 'can only have'],
  ])('rejects %j with the reason', (value, message) => {
    const { references, problems } = findReferences({ list: [value] });
    expect(references).toEqual([]);
    expect(problems).toEqual([{ place: ['list', 0], message: expect.stringContaining(message) }]);
  });

  test('is fast for malicious texts', () => {
    const texts = ['{{', '{{a.id', '{{a.output', ' {{ ', '.id', '{{a.output.0'].map((part) => part.repeat(300_000));
    const began = performance.now();
    for (const text of texts) findReferences({ text: `{{${text}` });
    expect(performance.now() - began).toBeLessThan(20_000);
  });
});

describe('resolving', () => {
  test('replaces values and texts, and does not resolve results again', () => {
    const body = {
      asset_id: { $from: 'a', path: 'output.0.asset.id' },
      width: { $from: 'a', path: 'output.0.asset.width' },
      metadata: { $from: 'a', path: 'metadata' },
      prompts: ['{{a.output.1.text}}', 'Page {{a.metadata.page}} is {{a.output.0.asset.width}} wide', 'plain'],
    };
    expect(resolve(body)).toEqual({
      asset_id: 'ast_7',
      width: 64,
      metadata: { page: '3' },
      prompts: ['A sun {{b.output.0.text}} $& $1', 'Page 3 is 64 wide', 'plain'],
    });
  });

  test.each([
    [{ x: { $from: 'a', path: 'output.9.asset.id' } }, 'body.items.4.body.x', 'item "a" has no output.9.asset.id'],
    [{ x: { $from: 'a', path: 'usage.cost_usd' } }, 'body.items.4.body.x', 'has no'],
    [{ x: { $from: 'b', path: 'id' } }, 'body.items.4.body.x', 'item "b" has no id'],
    [{ x: ['{{a.output.0.asset}}'] }, 'body.items.4.body.x.0', 'is not text'],
    [{ x: '{{a.output.constructor}}' }, 'body.items.4.body.x', 'has no output.constructor'],
    [{ x: '{{a.metadata.__proto__}}' }, 'body.items.4.body.x', 'has no'],
  ])('rejects %j, which finds nothing', (body, path, message) => {
    expect(() => resolve(body)).toThrowError(
      expect.objectContaining({
        code: 'reference_not_found',
        details: [{ path, message: expect.stringContaining(message) }],
      }),
    );
  });

  test('limits the size of the result', () => {
    const long = { ...image, output: [{ type: 'text', text: 'x'.repeat(1_000_000) }] };
    const text = '{{a.output.0.text}}';
    expect(resolve({ text: text.repeat(3) }, { a: long })).toEqual({ text: 'x'.repeat(3_000_000) });
    expect(() => resolve({ text: text.repeat(1_000) }, { a: long })).toThrowError(/too large/);
    const values = Array.from({ length: 1_000 }, () => ({ $from: 'a', path: 'output' }));
    expect(() => resolve({ values }, { a: long })).toThrowError(/too large/);
  });
});
