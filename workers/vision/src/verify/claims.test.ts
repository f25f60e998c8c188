import { ChorusError } from '@chorus/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { VerifyParts } from '../handlers/iris-verify.ts';
import { drawScene } from '../test-pictures.ts';
import { modelThat, ocrThat, startVerification, type TestVerification } from '../test-verification.ts';

let tested: TestVerification;

beforeAll(async () => {
  tested = await startVerification();
});
afterAll(() => tested.stop());

const CLAIM = 'A red circle';
const isClaim = (text: string) => text === CLAIM;

test.each([
  ['HELLO, world', 'Hello\nWORLD!', 'match', 'supported'],
  ['Grand opening on Saturday', 'GRAND 0PENING\non Saturday', 'match', 'supported'],
  ['Everything 50% off today', 'Everything 70% off today', 'uncertain', 'uncertain'],
  ['first second', 'second, then first', 'uncertain', 'uncertain'],
  ['cat', 'The catalogue', 'uncertain', 'uncertain'],
  ['Grand opening', 'Closed for ever', 'mismatch', 'contradicted'],
  ['Grand opening', '  \n', 'mismatch', 'contradicted'],
  ['欢迎光临', '欢 迎\n光临', 'match', 'supported'],
])('expected %j, read %j: %s', async (expected_text, read, result, claim) => {
  const id = await tested.upload(await drawScene(9, 64).png().toBuffer());
  const { results, item, of } = await tested.verify(id, { expected_text, parts: { ocr: ocrThat(read) } });
  expect([results.expected_text, item.claim]).toEqual([result, claim]);
  expect(of('expected_text')?.details).toMatchObject({ read });
});

test('leaves a claim open if the text cannot be read', async () => {
  const id = await tested.upload(await drawScene(9, 64).png().toBuffer());
  const broken: VerifyParts['ocr'] = {
    // biome-ignore lint/correctness/useYield: it fails before
    async *read() {
      throw new ChorusError('timeout', 'A page takes too long.');
    },
  };
  const { results, item } = await tested.verify(id, { expected_text: 'x', parts: { ocr: broken } });
  expect([results.expected_text, item.claim]).toEqual(['uncertain', 'uncertain']);
  const gif = await tested.verify(await tested.upload(await drawScene(9, 64).gif().toBuffer()), { expected_text: 'x' });
  expect([gif.results.expected_text, gif.item.claim]).toEqual(['skipped', 'not_checked']);
});

test.each([
  ['shows it', modelThat((text) => (isClaim(text) ? 'yes' : 'no')), 'match', 'supported'],
  ['does not show the claim', modelThat(() => 'no'), 'mismatch', 'contradicted'],
  ['shows part of the claim', modelThat((text) => (isClaim(text) ? 'partly' : 'no')), 'uncertain', 'uncertain'],
  ['makes a model confirm anything', modelThat(() => 'yes'), 'uncertain', 'uncertain'],
  ['addresses its reader', modelThat((text) => (isClaim(text) ? 'yes' : 'no'), true), 'uncertain', 'uncertain'],
])('judges a picture that %s', async (_, model, result, claim) => {
  const id = await tested.upload(await drawScene(10).png().toBuffer());
  const { results, item, usage } = await tested.verify(id, {
    prompt: CLAIM,
    model: 'x/y',
    parts: { providers: model },
  });
  expect([results.prompt, item.claim]).toEqual([result, claim]);
  expect(usage.total_tokens).toBe(11);
});

test('ignores malformed answers of a model and reports its errors', async () => {
  const id = await tested.upload(await drawScene(10).png().toBuffer());
  const before = tested.fake.requests.length;
  const echoed = await tested.verify(id, { prompt: CLAIM, model: 'compatible/echo@verify' });
  expect([echoed.results.prompt, echoed.item.claim]).toEqual(['uncertain', 'uncertain']);
  expect(JSON.stringify(tested.fake.requests[before]?.body)).toMatch(/"url":"data:image\/jpeg;base64,/);
  const failed = await tested.verify(id, {
    prompt: CLAIM,
    model: 'compatible/fail-401@verify',
    expected_text: 'Hello',
  });
  // The text was found, but the rest of the claim was not checked.
  expect([failed.results.prompt, failed.results.expected_text, failed.item.claim]).toEqual([
    'skipped',
    'match',
    'uncertain',
  ]);
  const nobody = await tested.verify(id, { prompt: CLAIM });
  expect([nobody.results.prompt, nobody.item.claim]).toEqual(['skipped', 'not_checked']);
  expect(nobody.item.summary).toMatch(/No vision model/);
});
