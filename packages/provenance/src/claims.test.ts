import { expect, test } from 'vitest';
import { claimsOf, GENERATION_LABEL } from './claims.ts';

const SIGNATURE = (label: string) => `self#jumbf=/c2pa/${label}/c2pa.signature`;
const status = (code: string, label = 'own') => ({ code, url: SIGNATURE(label), explanation: code });
const SIGNED = [status('claimSignature.validated'), status('signingCredential.trusted')];

const generation = {
  execution_id: 'job_1',
  model: 'a/b',
  created_at: '2026-01-01T00:00:00.000Z',
  perceptual_hash: null,
};
const manifest = {
  claim_generator_info: [{ name: 'Chorus' }],
  assertions: [{ label: GENERATION_LABEL, data: generation }],
};

const store = (success: unknown, failure: unknown, more: object = {}, active: object = {}) => ({
  active_manifest: 'own',
  manifests: { own: { ...manifest, ...active }, parent: manifest },
  validation_results: { activeManifest: { success, failure, informational: [] }, ...more },
});

test.each([
  ['intact', SIGNED, [], { state: 'intact', ours: true, expired: false, generation }],
  [
    'from an unknown signer',
    [SIGNED[0]],
    [status('signingCredential.untrusted')],
    { state: 'intact', ours: false, generation: null, problems: [] },
  ],
  [
    'with an expired certificate',
    SIGNED,
    [status('signingCredential.expired')],
    { state: 'intact', ours: true, expired: true },
  ],
  ['for different content', SIGNED, [status('assertion.dataHash.mismatch')], { state: 'altered', ours: true }],
  [
    'for different video content, expired',
    SIGNED,
    [status('assertion.bmffHash.mismatch'), status('signingCredential.expired')],
    { state: 'altered' },
  ],
  ['changed itself', SIGNED, [status('assertion.hashedURI.mismatch')], { state: 'invalid', ours: true }],
  [
    'with a changed record and content',
    SIGNED,
    [status('assertion.dataHash.mismatch'), status('assertion.missing')],
    { state: 'invalid' },
  ],
  [
    'with a forged signature',
    [SIGNED[1]],
    [status('claimSignature.mismatch')],
    { state: 'invalid', ours: false, generation: null },
  ],
])('a record %s', (_, success, failure, expected) => {
  expect(claimsOf(store(success, failure))).toMatchObject(expected);
});

test.each([
  ['of ours', [status('signingCredential.trusted', 'parent')], [], true],
  [
    'claiming to be ours with an invalid signature',
    [status('signingCredential.trusted', 'parent')],
    [status('claimSignature.mismatch', 'parent')],
    false,
  ],
  ['of somebody', [], [], false],
  ['that refers to another signature', [status('signingCredential.trusted', 'other')], [], false],
])('reports an ingredient %s', (_, success, failure, ours) => {
  const delta = { ingredientDeltas: [{ validationDeltas: { success, failure, informational: [] } }] };
  const ingredients = [{ title: 'x', relationship: 'parentOf', active_manifest: 'parent' }];
  const claims = claimsOf(store([SIGNED[0]], [], delta, { ingredients }));
  expect(claims?.ingredients).toMatchObject([{ relationship: 'parentOf', ours, generation: ours ? generation : null }]);
});

test.each([
  ['nothing', null],
  ['no object', 'text'],
  ['no manifest', { active_manifest: 'own', manifests: {} }],
  ["an object's prototype property as a label", { active_manifest: '__proto__', manifests: {} }],
  ['an invalid label', { active_manifest: { toString: 1 }, manifests: {} }],
])('reads %s as no record', (_, given) => {
  expect(claimsOf(given)).toBeNull();
});

test('limits the size and shape of untrusted records', () => {
  const long = '\ud800'.repeat(100_000);
  const many = Array.from({ length: 10_000 }, () => ({ action: long, softwareAgent: { name: long }, when: 7 }));
  const active = {
    claim_generator_info: 'none',
    claim_generator: long,
    signature_info: [1, 2],
    ingredients: Array.from({ length: 10_000 }, () => ({ title: long, active_manifest: 'parent' })),
    assertions: [
      null,
      7,
      { label: 'c2pa.actions', data: { actions: many } },
      { label: GENERATION_LABEL, data: { model: 1 } },
    ],
  };
  const failures = Array.from({ length: 10_000 }, () => ({ code: long, explanation: long }));
  const claims = claimsOf(store(SIGNED, failures, {}, active));
  expect(claims).toMatchObject({
    state: 'invalid',
    ours: true,
    generation: null,
    signer: { organization: null, name: null },
  });
  expect(claims?.generator).toBe('\ufffd'.repeat(300));
  expect([claims?.actions.length, claims?.ingredients.length, claims?.problems.length]).toEqual([20, 20, 20]);
  expect(JSON.stringify(claims).length).toBeLessThan(100_000);
});
