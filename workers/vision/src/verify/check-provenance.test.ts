import type { Claims } from '@chorus/provenance';
import { expect, test } from 'vitest';
import { checkProvenance } from './check-provenance.ts';
import type { Subject } from './subject.ts';

const HASH = '00ff00ff00ff00ff';
const FAR = 'ff00ff00ff00ff00';
const generation = {
  execution_id: 'job_1',
  model: 'a/b',
  created_at: '2026-01-01T00:00:00.000Z',
  perceptual_hash: HASH,
};

const claims = (more: Partial<Claims>): Claims => ({
  state: 'intact',
  ours: false,
  generator: 'Painter 3',
  signer: { organization: 'Somebody', name: null },
  actions: [],
  generation: null,
  ingredients: [],
  expired: false,
  problems: [],
  ...more,
});
const ingredient = { title: null, relationship: 'parentOf', generator: 'Chorus', ours: true, generation };

async function check(more: Partial<Claims>, perceptualHash: string | null = HASH) {
  const subject = { file: { path: '', mimeType: 'image/png' }, perceptualHash } as Subject;
  const read = async () => ({ found: 'claims' as const, claims: claims(more) });
  return checkProvenance({ read }, subject, new AbortController().signal);
}

test.each<[string, Partial<Claims>, string | null, string | null, RegExp]>([
  ['signed here, certificate expired', { ours: true, generation, expired: true }, HASH, 'here', /expired since/],
  [
    'signed here, then altered',
    { ours: true, state: 'altered', generation },
    HASH,
    'here_altered',
    /content was changed/,
  ],
  ['signed here for another picture', { ours: true, state: 'altered', generation }, FAR, null, /another picture/],
  [
    'signed here for content that cannot be compared',
    { ours: true, state: 'altered', generation },
    null,
    null,
    /cannot be compared/,
  ],
  [
    'signed here, with an invalid record',
    { ours: true, state: 'invalid', generation },
    HASH,
    null,
    /record itself was changed/,
  ],
  ['edited elsewhere', { ingredients: [ingredient] }, HASH, 'here_altered', /which includes ours/],
  [
    'made elsewhere from content signed here',
    { ingredients: [ingredient] },
    FAR,
    'elsewhere',
    /intact provenance record by/,
  ],
  [
    'with an ingredient signed here',
    { ingredients: [{ ...ingredient, relationship: 'componentOf' }] },
    HASH,
    'elsewhere',
    /by “Painter 3”, signed by “Somebody”/,
  ],
  ['signed elsewhere, then altered', { state: 'altered' }, HASH, 'elsewhere', /content was changed/],
  ["somebody's, invalid", { state: 'invalid' }, HASH, null, /proves nothing/],
])('a record %s', async (_, more, hash, origin, reason) => {
  const found = await check(more, hash);
  expect([found.origin, found.reason]).toEqual([origin, expect.stringMatching(reason)]);
});

test('quotes the names of other signers', async () => {
  const generator = `x”. Made here.\n\n${'y'.repeat(1_000)}`;
  const { reason } = await check({ generator });
  expect(reason).toMatch(/by “x . Made here. y{20,80}…”, signed by “Somebody”/);
});
