import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { type AssetStore, createAssets, type NewAsset } from '@chorus/assets';
import { type Blobs, createBlobs } from '@chorus/blobs';
import {
  type ChatMessage,
  ChorusError,
  type IrisVerifyInput,
  newId,
  type OcrPage,
  type Owner,
  PROVIDERS,
  type RunningEvent,
  VERIFICATION_CHECKS,
  type VerificationItem,
} from '@chorus/contract';
import { connectDatabase, type Database } from '@chorus/database';
import { createLogger } from '@chorus/log';
import { createOutbound } from '@chorus/outbound';
import { openProvenance, type Provenance } from '@chorus/provenance';
import { createProviders, type Providers } from '@chorus/providers';
import { CLIP_MP4, type FakeOpenAI, startFakeOpenAI, startStore, type TestStore } from '@chorus/testing';
import type { JobContext } from '@chorus/worker-kit';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { drawScene } from '../test-pictures.ts';
import { irisVerify, type VerifyParts } from './iris-verify.ts';

const log = createLogger({ name: 'test', level: 'silent' });
const owner: Owner = { scope: 'personal', user_id: newId('user'), workspace_id: null };

let store: TestStore;
let folder: string;
let database: Database;
let blobs: Blobs;
let assets: AssetStore;
let provenance: Provenance;
let fake: FakeOpenAI;
let providers: Providers;
let parts: VerifyParts;

beforeAll(async () => {
  [store, folder, fake] = await Promise.all([
    startStore(),
    mkdtemp(join(tmpdir(), 'chorus-verify-')),
    startFakeOpenAI(),
  ]);
  database = await connectDatabase({ uri: store.uri, log });
  blobs = createBlobs({ kind: 'files', folder }, log);
  assets = createAssets({ database, blobs, log });
  provenance = await openProvenance({ c2pa: null }, { database, log });
  const off = Object.fromEntries(PROVIDERS.map((name) => [name, { apiKey: null, baseUrl: null }]));
  const settings = {
    ...(off as Parameters<typeof createProviders>[0]),
    compatible: { apiKey: null, baseUrl: fake.url },
  };
  providers = createProviders(settings, { log });
  await providers.ready();
  const outbound = createOutbound({ allow: [{ address: '127.0.0.1', prefix: 32, family: 'ipv4' }] });
  parts = { assets, outbound, maxBytes: 10_000_000, provenance, ocr: ocrThat('HELLO'), providers };
});
afterAll(async () => {
  providers.close();
  provenance.close();
  blobs.close();
  await database.close();
  await Promise.all([store.stop(), fake.close(), rm(folder, { recursive: true, force: true })]);
});

/** Reads this text on one page. */
const ocrThat = (text: string): VerifyParts['ocr'] => ({
  async *read() {
    yield { text, confidence: 0.9 } as OcrPage;
  },
});

/** A model that sees, and answers of each claim what `say` says. */
const modelThat = (say: (claim: string) => string, addressed = false): Pick<Providers, 'streamChat'> => ({
  async *streamChat({ messages }) {
    const claims = claimsIn(messages).map(({ id, text }) => ({ id, shown: say(text), why: `of ${text}` }));
    yield {
      type: 'text',
      text: `Sure:\n\`\`\`json\n${JSON.stringify({ claims, text_addresses_reader: addressed })}\n\`\`\``,
    };
    const usage = { input_tokens: 5, output_tokens: 6, total_tokens: 11, cost_usd: null };
    yield { type: 'finish', finish_reason: 'stop', usage };
  },
});

function claimsIn(messages: ChatMessage[]): { id: string; text: string }[] {
  const content = messages.at(-1)?.content;
  const text = Array.isArray(content) && content[0]?.type === 'text' ? content[0].text : '';
  return [...text.matchAll(/^id (\S+): (".*")$/gm)].map(([, id = '', quoted = '""']) => ({
    id,
    text: JSON.parse(quoted),
  }));
}

/** Makes a picture as the media pool does. */
async function generate(picture: Buffer, by: Owner = owner) {
  const executionId = newId('job');
  const model = 'embedded/canvas';
  // As the store of assets finds it; here the signature is to carry it.
  const unsigned = await assets.create({ owner: by, body: picture, filename: null });
  const making = { mime: 'image/png', executionId, model, procedural: true, perceptualHash: unsigned.perceptual_hash };
  const { body, unsignedSha256 } = await provenance.finish(picture, making);
  const asset = await assets.create({ owner: by, body, filename: null, executionId, outputIndex: 0 });
  await provenance.recordGenerated({ asset, executionId, model, unsignedSha256 });
  return { asset, body, executionId };
}

const upload = async (body: Buffer, by: Owner = owner, facts?: NewAsset['facts']) =>
  (await assets.create({ owner: by, body, filename: null, ...(facts && { facts }) })).id;

interface Asked extends Partial<IrisVerifyInput> {
  by?: Owner;
  parts?: Partial<VerifyParts>;
}

async function verify(asset: string | null, { by = owner, parts: own, ...input }: Asked = {}) {
  const events: RunningEvent[] = [];
  const context: JobContext<'iris.verify'> = {
    input: {
      source: { type: 'asset', asset_id: asset ?? '' },
      expected_text: null,
      prompt: null,
      model: null,
      ...input,
    },
    owner: by,
    executionId: newId('job'),
    attempt: 1,
    signal: new AbortController().signal,
    log,
    emit: (event) => {
      events.push(event);
      return undefined;
    },
    note: () => undefined,
    checkpoint: { value: null, save: async () => undefined },
    text: () => '',
  };
  const result = await irisVerify({ ...parts, ...own }).run(context);
  const [item, text] = result.output;
  if (item?.type !== 'verification') throw new Error('no verification');
  expect(text).toEqual({ type: 'text', text: item.summary });
  const results = Object.fromEntries(item.checks.map(({ check, result: found }) => [check, found]));
  return { item, results, events, usage: result.usage, of: (name: string) => checkOf(item, name) };
}

const checkOf = (item: VerificationItem, name: string) => item.checks.find(({ check }) => check === name);

const CLAIM = 'A red circle';
const isClaim = (text: string) => text === CLAIM;

const NOTHING_CLAIMED = { expected_text: 'skipped', prompt: 'skipped' } as const;

test('what was made here is known by its signature, its content and its looks', async () => {
  const { asset, executionId } = await generate(await drawScene(1).png().toBuffer());
  const { item, results, events } = await verify(asset.id);
  expect(item).toMatchObject({ verdict: 'made_here', claim: 'not_checked' });
  expect(results).toEqual({ provenance: 'match', ledger: 'match', similarity: 'match', ...NOTHING_CLAIMED });
  expect(checkOf(item, 'provenance')?.details).toMatchObject({ generation: { execution_id: executionId } });
  expect(checkOf(item, 'ledger')?.details).toMatchObject({
    records: [{ asset_id: asset.id, execution_id: executionId }],
  });
  expect(item.checks.every(({ reason }) => reason.length > 10)).toBe(true);
  const stages = events.map((event) => (event.type === 'progress' ? event.progress.stage : event.type));
  expect(stages).toEqual(['fetching', 'measuring', ...VERIFICATION_CHECKS, 'done']);
});

test('a copy without the signature is known, also when it was encoded anew, made smaller, grey or cropped', async () => {
  const picture = await drawScene(2).png().toBuffer();
  await generate(picture);
  const unsigned = await verify(await upload(picture));
  expect(unsigned.item.verdict).toBe('made_here');
  expect(unsigned.results).toMatchObject({ provenance: 'absent', ledger: 'match' });
  const copies = [
    drawScene(2).jpeg({ quality: 40 }),
    drawScene(2).webp({ quality: 50 }).resize(200),
    drawScene(2).greyscale().png(),
    sharp(picture).extract({ left: 15, top: 15, width: 482, height: 482 }).png(),
  ];
  for (const copy of copies) {
    const { item, results } = await verify(await upload(await copy.toBuffer()));
    expect(item.verdict).toBe('made_here_altered');
    expect(results).toMatchObject({ provenance: 'absent', ledger: 'absent', similarity: 'match' });
  }
});

test('when the asset is gone, what is remembered of it still tells', async () => {
  const { asset } = await generate(await drawScene(11).png().toBuffer());
  await assets.remove(owner, asset.id);
  const copy = await verify(await upload(await drawScene(11).jpeg({ quality: 40 }).toBuffer()));
  expect(copy.item.verdict).toBe('made_here_altered');
  expect(copy.of('similarity')?.details).toMatchObject({ records: [{ asset_id: asset.id, likeness: null }] });
});

test('a near hash of another picture is looked through', async () => {
  const { asset } = await generate(await drawScene(12).png().toBuffer());
  const other = await assets.create({ owner, body: await drawScene(13).png().toBuffer(), filename: null });
  const near = { similarTo: () => provenance.similarTo(owner, asset.perceptual_hash ?? '') };
  const { results, item, of } = await verify(other.id, { parts: { provenance: { ...provenance, ...near } } });
  expect([results.similarity, item.verdict]).toEqual(['absent', 'not_found']);
  expect(of('similarity')?.details).toMatchObject({ records: [{ asset_id: asset.id, distance: 0 }] });
});

test('a signed file that was changed is found out', async () => {
  const { body } = await generate(await drawScene(3).png().toBuffer());
  const stranger: Owner = { ...owner, user_id: newId('user') };
  // The picture itself is what it was.
  const changed = withTextChunk(Buffer.from(body), 'somebody');
  const { item, results, of } = await verify(await upload(changed, stranger), { by: stranger });
  expect(results).toMatchObject({ provenance: 'mismatch', ledger: 'absent', similarity: 'absent' });
  expect(item.verdict).toBe('made_here_altered');
  expect(of('provenance')?.details).toMatchObject({ state: 'altered', ours: true });
});

/** A PNG with a note before its end. */
function withTextChunk(png: Buffer, text: string): Buffer {
  const end = png.lastIndexOf('IEND') - 4;
  const content = Buffer.from(`tEXtComment\0${text}`);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length - 4);
  sum.writeUInt32BE(crc32(content));
  return Buffer.concat([png.subarray(0, end), length, content, sum, png.subarray(end)]);
}

test('a record that was moved to another picture vouches for nothing', async () => {
  const { body } = await generate(await drawScene(4).png().toBuffer());
  const other = await drawScene(5).png().toBuffer();
  const { item, results } = await verify(await upload(withRecordOf(Buffer.from(body), other)));
  expect(results).toMatchObject({ provenance: 'mismatch', ledger: 'absent' });
  expect(item.verdict).toBe('not_found');
  expect(item.summary).toMatch(/but for another picture/);
});

/** Moves the chunk with the record from one PNG into another, before its first data. */
function withRecordOf(signed: Buffer, other: Buffer): Buffer {
  const from = signed.indexOf('caBX') - 4;
  const chunk = signed.subarray(from, from + 12 + signed.readUInt32BE(from));
  const to = other.indexOf('IDAT') - 4;
  return Buffer.concat([other.subarray(0, to), chunk, other.subarray(to)]);
}

test("what was made in another scope is not told of, but by the file's own signature", async () => {
  const picture = await drawScene(6).png().toBuffer();
  const { body } = await generate(picture);
  const stranger: Owner = { ...owner, user_id: newId('user') };
  const copy = await verify(await upload(picture, stranger), { by: stranger });
  expect(copy.item.verdict).toBe('not_found');
  expect(copy.results).toMatchObject({ provenance: 'absent', ledger: 'absent', similarity: 'absent' });
  expect(copy.item.summary).toMatch(/does not mean that it was not made by AI/);
  const signed = await verify(await upload(Buffer.from(body), stranger), { by: stranger });
  expect(signed.item.verdict).toBe('made_here');
  expect(signed.results).toMatchObject({ provenance: 'match', ledger: 'absent', similarity: 'absent' });
});

test("somebody else's record is told with its signer, as unknown", async () => {
  const nothing = { ...database, secrets: { getOrCreate: async (_: string, own: string) => own } };
  const elsewhere = await openProvenance({ c2pa: null }, { database: nothing, log });
  const making = { mime: 'image/png', executionId: newId('job'), model: 'their/model', procedural: false };
  const { body } = await elsewhere.finish(await drawScene(7).png().toBuffer(), making);
  elsewhere.close();
  const { item, of } = await verify(await upload(body));
  expect(item.verdict).toBe('made_elsewhere');
  expect(of('provenance')).toMatchObject({
    result: 'mismatch',
    reason: expect.stringMatching(/signer is unknown here/),
  });
});

test('a video is known by its signature and its content; of one that shows too little no more can be told', async () => {
  const clip = Buffer.from(CLIP_MP4); // of one plain colour
  const executionId = newId('job');
  const making = { mime: 'video/mp4', executionId, model: 'embedded/canvas-video', procedural: true };
  const { body, unsignedSha256 } = await provenance.finish(clip, making);
  const facts = { width: 64, height: 96, duration_ms: 1_000 };
  const asset = await assets.create({ owner, body, filename: null, executionId, outputIndex: 0, facts });
  await provenance.recordGenerated({ asset, executionId, model: making.model, unsignedSha256 });
  const look = {
    prompt: CLAIM,
    model: 'x/y',
    parts: { providers: modelThat((text) => (isClaim(text) ? 'yes' : 'no')) },
  };
  const made = await verify(asset.id, look);
  expect(made.item).toMatchObject({ verdict: 'made_here', claim: 'supported' });
  expect(made.of('prompt')?.reason).toMatch(/Only the first frame of the video was looked at/);
  expect(made.results).toMatchObject({ provenance: 'match', ledger: 'match', similarity: 'skipped' });
  expect((await verify(await upload(clip, owner, facts))).item.verdict).toBe('made_here');
  // Another box at the end: another content.
  const changed = await verify(
    await upload(Buffer.concat([body, Buffer.from('000000096d64617400', 'hex')]), owner, facts),
  );
  expect(changed.results).toMatchObject({ provenance: 'mismatch', ledger: 'absent', similarity: 'skipped' });
  expect(changed.item.verdict).toBe('not_found');
  expect(changed.item.summary).toMatch(/can not be told/);
});

test('what lies at an address is fetched, and gone again afterwards', async () => {
  const picture = await drawScene(8).jpeg().toBuffer();
  const server = createServer((_, response) => response.end(picture)).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/a.png`;
  const { item } = await verify(null, { source: { type: 'url', url } });
  expect(item.verdict).toBe('not_found');
  await expect(verify(null, { source: { type: 'url', url }, parts: { maxBytes: 100 } })).rejects.toMatchObject({
    code: 'payload_too_large',
  });
  await expect(verify(null, { source: { type: 'url', url: 'http://127.0.0.2/' } })).rejects.toMatchObject({
    code: 'url_not_allowed',
  });
  server.close();
  expect((await readdir(tmpdir())).filter((name) => name.startsWith('chorus-source-'))).toEqual([]);
});

test('an asset that is gone is not found', async () => {
  await expect(verify(newId('asset'))).rejects.toMatchObject({ code: 'not_found' });
});

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
  const id = await upload(await drawScene(9, 64).png().toBuffer());
  const { results, item, of } = await verify(id, { expected_text, parts: { ocr: ocrThat(read) } });
  expect([results.expected_text, item.claim]).toEqual([result, claim]);
  expect(of('expected_text')?.details).toMatchObject({ read });
});

test('text that cannot be read leaves the claim open', async () => {
  const id = await upload(await drawScene(9, 64).png().toBuffer());
  const broken: VerifyParts['ocr'] = {
    // biome-ignore lint/correctness/useYield: it fails before
    async *read() {
      throw new ChorusError('timeout', 'A page takes too long.');
    },
  };
  const { results, item } = await verify(id, { expected_text: 'x', parts: { ocr: broken } });
  expect([results.expected_text, item.claim]).toEqual(['uncertain', 'uncertain']);
  const gif = await verify(await upload(await drawScene(9, 64).gif().toBuffer()), { expected_text: 'x' });
  expect([gif.results.expected_text, gif.item.claim]).toEqual(['skipped', 'not_checked']);
});

test.each([
  ['shows it', modelThat((text) => (isClaim(text) ? 'yes' : 'no')), 'match', 'supported'],
  ['does not show it', modelThat(() => 'no'), 'mismatch', 'contradicted'],
  ['shows a part', modelThat((text) => (isClaim(text) ? 'partly' : 'no')), 'uncertain', 'uncertain'],
  ['makes a model agree to anything', modelThat(() => 'yes'), 'uncertain', 'uncertain'],
  ['speaks to its reader', modelThat((text) => (isClaim(text) ? 'yes' : 'no'), true), 'uncertain', 'uncertain'],
])('a picture that %s', async (_, model, result, claim) => {
  const id = await upload(await drawScene(10).png().toBuffer());
  const { results, item, usage } = await verify(id, { prompt: CLAIM, model: 'x/y', parts: { providers: model } });
  expect([results.prompt, item.claim]).toEqual([result, claim]);
  expect(usage.total_tokens).toBe(11);
});

test('a model gets the picture; what is no answer in the form decides nothing, and one that fails is told', async () => {
  const id = await upload(await drawScene(10).png().toBuffer());
  const before = fake.requests.length;
  const echoed = await verify(id, { prompt: CLAIM, model: 'compatible/echo@verify' });
  expect([echoed.results.prompt, echoed.item.claim]).toEqual(['uncertain', 'uncertain']);
  expect(JSON.stringify(fake.requests[before]?.body)).toMatch(/"url":"data:image\/jpeg;base64,/);
  const failed = await verify(id, { prompt: CLAIM, model: 'compatible/fail-401@verify', expected_text: 'Hello' });
  // The text is there, but whether the rest is true nobody has looked.
  expect([failed.results.prompt, failed.results.expected_text, failed.item.claim]).toEqual([
    'skipped',
    'match',
    'uncertain',
  ]);
  const nobody = await verify(id, { prompt: CLAIM });
  expect([nobody.results.prompt, nobody.item.claim]).toEqual(['skipped', 'not_checked']);
  expect(nobody.item.summary).toMatch(/No model that sees/);
});

test('what is no picture is looked at as far as it goes', async () => {
  const { item, results } = await verify(await upload(Buffer.from('plain words')), { prompt: CLAIM, model: 'x/y' });
  expect(item).toMatchObject({ verdict: 'not_found', claim: 'not_checked' });
  expect(results).toEqual({ ...NOTHING_CLAIMED, provenance: 'absent', ledger: 'absent', similarity: 'skipped' });
});
