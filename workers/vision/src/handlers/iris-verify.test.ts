import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { ChorusError, newId, VERIFICATION_CHECKS } from '@chorus/contract';
import { openProvenance } from '@chorus/provenance';
import type { Providers } from '@chorus/providers';
import { CLIP_MP4 } from '@chorus/testing';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { drawScene } from '../test-pictures.ts';
import { freshOwner, log, modelThat, startVerification, type TestVerification } from '../test-verification.ts';

let tested: TestVerification;

beforeAll(async () => {
  tested = await startVerification();
});
afterAll(() => tested.stop());

const CLAIM = 'A red circle';
const NOTHING_CLAIMED = { expected_text: 'skipped', prompt: 'skipped' } as const;

test('recognizes an image by its signature, content, and appearance', async () => {
  const { asset, executionId } = await tested.generate(await drawScene(1).png().toBuffer());
  const { item, text, results, events, of } = await tested.verify(asset.id);
  expect(text).toBe(item.summary);
  expect(item).toMatchObject({ verdict: 'made_here', claim: 'not_checked' });
  expect(results).toEqual({ provenance: 'match', ledger: 'match', similarity: 'match', ...NOTHING_CLAIMED });
  expect(of('provenance')?.details).toMatchObject({ generation: { execution_id: executionId } });
  expect(of('ledger')?.details).toMatchObject({
    records: [{ asset_id: asset.id, execution_id: executionId }],
  });
  expect(item.checks.every(({ reason }) => reason.length > 10)).toBe(true);
  const stages = events.map((event) => (event.type === 'progress' ? event.progress.stage : event.type));
  expect(stages).toEqual(['fetching', 'measuring', ...VERIFICATION_CHECKS, 'done']);
});

test('recognizes unsigned copies that were re-encoded, scaled, converted to gray, or cropped', async () => {
  const picture = await drawScene(2).png().toBuffer();
  await tested.generate(picture);
  const unsigned = await tested.verify(await tested.upload(picture));
  expect(unsigned.item.verdict).toBe('made_here');
  expect(unsigned.results).toMatchObject({ provenance: 'absent', ledger: 'match' });
  const copies = [
    drawScene(2).jpeg({ quality: 40 }),
    drawScene(2).webp({ quality: 50 }).resize(200),
    drawScene(2).greyscale().png(),
    sharp(picture).extract({ left: 15, top: 15, width: 482, height: 482 }).png(),
  ];
  for (const copy of copies) {
    const { item, results } = await tested.verify(await tested.upload(await copy.toBuffer()));
    expect(item.verdict).toBe('made_here_altered');
    expect(results).toMatchObject({ provenance: 'absent', ledger: 'absent', similarity: 'match' });
  }
});

test('recognizes a copy of a deleted asset by its record', async () => {
  const { asset } = await tested.generate(await drawScene(11).png().toBuffer());
  await tested.assets.remove(tested.owner, asset.id);
  const copy = await tested.verify(await tested.upload(await drawScene(11).jpeg({ quality: 40 }).toBuffer()));
  expect(copy.item.verdict).toBe('made_here_altered');
  expect(copy.of('similarity')?.details).toMatchObject({ records: [{ asset_id: asset.id, likeness: null }] });
});

test('rejects a different picture with a similar hash', async () => {
  const { asset } = await tested.generate(await drawScene(12).png().toBuffer());
  const other = await tested.assets.create({
    owner: tested.owner,
    body: await drawScene(13).png().toBuffer(),
    filename: null,
  });
  const near = { findSimilar: () => tested.provenance.findSimilar(tested.owner, asset.perceptual_hash ?? '') };
  const { results, item, of } = await tested.verify(other.id, {
    parts: { provenance: { ...tested.provenance, ...near } },
  });
  expect([results.similarity, item.verdict]).toEqual(['absent', 'not_found']);
  expect(of('similarity')?.details).toMatchObject({ records: [{ asset_id: asset.id, distance: 0 }] });
});

test('detects changes to a signed file', async () => {
  const { body } = await tested.generate(await drawScene(3).png().toBuffer());
  const stranger = freshOwner();
  // The picture itself is unchanged.
  const changed = withTextChunk(Buffer.from(body), 'somebody');
  const { item, results, of } = await tested.verify(await tested.upload(changed, stranger), { by: stranger });
  expect(results).toMatchObject({ provenance: 'mismatch', ledger: 'absent', similarity: 'absent' });
  expect(item.verdict).toBe('made_here_altered');
  expect(of('provenance')?.details).toMatchObject({ state: 'altered', ours: true });
});

/** Returns a PNG with a text chunk before its end. */
function withTextChunk(png: Buffer, text: string): Buffer {
  const end = png.lastIndexOf('IEND') - 4;
  const content = Buffer.from(`tEXtComment\0${text}`);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length - 4);
  sum.writeUInt32BE(crc32(content));
  return Buffer.concat([png.subarray(0, end), length, content, sum, png.subarray(end)]);
}

test('does not trust a record that was moved to another picture', async () => {
  const { body } = await tested.generate(await drawScene(4).png().toBuffer());
  const other = await drawScene(5).png().toBuffer();
  const { item, results } = await tested.verify(await tested.upload(withRecordOf(Buffer.from(body), other)));
  expect(results).toMatchObject({ provenance: 'mismatch', ledger: 'absent' });
  expect(item.verdict).toBe('not_found');
  expect(item.summary).toMatch(/but for another picture/);
});

/** Moves the chunk with the record from one PNG to another, before its first data. */
function withRecordOf(signed: Buffer, other: Buffer): Buffer {
  const from = signed.indexOf('caBX') - 4;
  const chunk = signed.subarray(from, from + 12 + signed.readUInt32BE(from));
  const to = other.indexOf('IDAT') - 4;
  return Buffer.concat([other.subarray(0, to), chunk, other.subarray(to)]);
}

test("finds nothing made in another scope, except by the file's own signature", async () => {
  const picture = await drawScene(6).png().toBuffer();
  const { body } = await tested.generate(picture);
  const stranger = freshOwner();
  const copy = await tested.verify(await tested.upload(picture, stranger), { by: stranger });
  expect(copy.item.verdict).toBe('not_found');
  expect(copy.results).toMatchObject({ provenance: 'absent', ledger: 'absent', similarity: 'absent' });
  expect(copy.item.summary).toMatch(/does not mean that it was not made by AI/);
  const signed = await tested.verify(await tested.upload(Buffer.from(body), stranger), { by: stranger });
  expect(signed.item.verdict).toBe('made_here');
  expect(signed.results).toMatchObject({ provenance: 'match', ledger: 'absent', similarity: 'absent' });
});

test("reports another signer's record as unknown", async () => {
  const nothing = { ...tested.database, secrets: { getOrCreate: async (_: string, own: string) => own } };
  const elsewhere = await openProvenance({ c2pa: null }, { database: nothing, log });
  const making = { mime: 'image/png', executionId: newId('job'), model: 'their/model', procedural: false };
  const { body } = await elsewhere.sign(await drawScene(7).png().toBuffer(), making);
  elsewhere.close();
  const { item, of } = await tested.verify(await tested.upload(body));
  expect(item.verdict).toBe('made_elsewhere');
  expect(of('provenance')).toMatchObject({
    result: 'mismatch',
    reason: expect.stringMatching(/signer is unknown here/),
  });
});

test('recognizes a video by signature and content, and compares no plain frame', async () => {
  const clip = Buffer.from(CLIP_MP4); // a single color
  const executionId = newId('job');
  const making = { mime: 'video/mp4', executionId, model: 'embedded/canvas-video', procedural: true };
  const { body, unsignedSha256 } = await tested.provenance.sign(clip, making);
  const facts = { width: 64, height: 96, duration_ms: 1_000 };
  const asset = await tested.assets.create({
    owner: tested.owner,
    body,
    filename: null,
    executionId,
    outputIndex: 0,
    facts,
  });
  await tested.provenance.recordGenerated({ asset, executionId, model: making.model, unsignedSha256 });
  const look = {
    prompt: CLAIM,
    model: 'x/y',
    parts: { providers: modelThat((text) => (text === CLAIM ? 'yes' : 'no')) },
  };
  const made = await tested.verify(asset.id, look);
  expect(made.item).toMatchObject({ verdict: 'made_here', claim: 'supported' });
  expect(made.of('prompt')?.reason).toMatch(/Only the first frame of the video was checked/);
  expect(made.results).toMatchObject({ provenance: 'match', ledger: 'match', similarity: 'skipped' });
  expect((await tested.verify(await tested.upload(clip, tested.owner, facts))).item.verdict).toBe('made_here');
  // Another box at the end changes the content.
  const changed = await tested.verify(
    await tested.upload(Buffer.concat([body, Buffer.from('000000096d64617400', 'hex')]), tested.owner, facts),
  );
  expect(changed.results).toMatchObject({ provenance: 'mismatch', ledger: 'absent', similarity: 'skipped' });
  expect(changed.item.verdict).toBe('not_found');
  expect(changed.item.summary).toMatch(/cannot be compared/);
});

test('fetches a URL and deletes the file afterwards', async () => {
  const picture = await drawScene(8).jpeg().toBuffer();
  const server = createServer((_, response) => response.end(picture)).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/a.png`;
  const folder = await mkdtemp(join(tmpdir(), 'chorus-temporary-'));
  vi.stubEnv('TMPDIR', folder);
  try {
    const { item } = await tested.verify(null, { source: { type: 'url', url } });
    expect(item.verdict).toBe('not_found');
    const tooLarge = tested.verify(null, { source: { type: 'url', url }, parts: { maxBytes: 100 } });
    await expect(tooLarge).rejects.toMatchObject({ code: 'payload_too_large' });
    const inside = tested.verify(null, { source: { type: 'url', url: 'http://127.0.0.2/' } });
    await expect(inside).rejects.toMatchObject({ code: 'url_not_allowed' });
    expect(await readdir(folder)).toEqual([]);
  } finally {
    vi.unstubAllEnvs();
    server.close();
    await rm(folder, { recursive: true });
  }
});

test('reports a deleted asset as not found', async () => {
  await expect(tested.verify(newId('asset'))).rejects.toMatchObject({ code: 'not_found' });
});

test('runs the possible checks on a file without a picture', async () => {
  const { item, results } = await tested.verify(await tested.upload(Buffer.from('plain words')), {
    prompt: CLAIM,
    model: 'x/y',
  });
  expect(item).toMatchObject({ verdict: 'not_found', claim: 'not_checked' });
  expect(results).toEqual({ ...NOTHING_CLAIMED, provenance: 'absent', ledger: 'absent', similarity: 'skipped' });
});

test('counts a check that its model did not finish', async () => {
  const used = { input_tokens: 5, output_tokens: 6, total_tokens: 11, cost_usd: 0.25, estimated: true };
  const providers: Pick<Providers, 'streamChat'> = {
    // biome-ignore lint/correctness/useYield: it fails before its first part
    async *streamChat(_call, { onUnfinished }) {
      onUnfinished?.(used);
      throw new ChorusError('provider_error', 'It failed.');
    },
  };
  const asset = await tested.upload(await drawScene(31).png().toBuffer());
  const { usage, noted, results } = await tested.verify(asset, {
    prompt: CLAIM,
    model: 'openai/x',
    parts: { providers },
  });
  expect(results).toMatchObject({ prompt: 'skipped' });
  expect(usage).toEqual(used);
  expect(noted).toContainEqual({ usage: used });
});
