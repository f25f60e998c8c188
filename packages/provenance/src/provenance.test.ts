import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newId, type Owner } from '@chorus/contract';
import { connectDatabase, type Database } from '@chorus/database';
import { createLogger } from '@chorus/runtime/log';
import { sharedStore, TEST_SECRET_KEY, type TestDatabases } from '@chorus/testing';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { issueCertificates } from './certificate/issue-certificates.ts';
import { createProvenance, type Origin, type Provenance, type ReadResult } from './provenance.ts';

const log = createLogger({ name: 'test', level: 'silent' });
const owner: Owner = { scope: 'personal', user_id: newId('user'), workspace_id: null };

let store: TestDatabases;
let database: Database;
let folder: string;
let provenance: Provenance;
/** A separate installation. */
let elsewhere: Provenance;

beforeAll(async () => {
  [store, folder] = await Promise.all([sharedStore(), mkdtemp(join(tmpdir(), 'chorus-provenance-'))]);
  database = await connectDatabase({ uri: store.uri, secretKey: TEST_SECRET_KEY, log });
  provenance = await createProvenance({ database, certificate: null, log });
  const strange = { ...issueCertificates(), algorithm: 'es256' as const };
  const nothing = { secrets: { getOrCreate: async (_: string, own: string) => own }, provenance: noLedger };
  elsewhere = await createProvenance({ database: nothing, certificate: strange, log });
});
afterAll(async () => {
  provenance.close();
  elsewhere.close();
  await database.close();
  await Promise.all([store.stop(), rm(folder, { recursive: true, force: true })]);
});

const noLedger: Database['provenance'] = {
  record: async () => {},
  withContent: async () => [],
  withBands: async () => [],
  getMany: async () => [],
  addCertificate: async () => {},
  certificates: async () => [],
};

const making = (mime: string): Origin => ({
  mime,
  executionId: newId('job'),
  model: 'embedded/canvas',
  procedural: true,
  perceptualHash: '00ff00ff00ff00ff',
});

/** Builds an image in which a byte in the middle is image data. */
const picture = (format: 'png' | 'jpeg' | 'webp') =>
  sharp({
    create: {
      width: 128,
      height: 128,
      channels: 3,
      background: '#888',
      noise: { type: 'gaussian', mean: 128, sigma: 30 },
    },
  })
    .toFormat(format)
    .toBuffer();

async function readBytes(bytes: Uint8Array, mime: string, by = provenance): Promise<ReadResult> {
  const path = join(folder, crypto.randomUUID());
  await writeFile(path, bytes);
  return by.read({ path, mime });
}

test.each(['png', 'jpeg', 'webp'] as const)(
  'signs a %s and reads it as ours, or as altered after a change',
  async (format) => {
    const mime = `image/${format}`;
    const made = making(mime);
    const original = await picture(format);
    const { body, signed } = await provenance.sign(original, made);
    expect(signed).toBe(true);
    // Signing does not change the pixels.
    expect(await pixelsOf(body)).toEqual(await pixelsOf(original));
    expect(body.length - original.length).toBeLessThan(16_000);

    const intact = await readBytes(body, mime);
    expect(intact).toMatchObject({
      found: 'claims',
      claims: {
        state: 'intact',
        ours: true,
        generator: 'Chorus 0.1.0',
        actions: [
          {
            action: 'c2pa.created',
            software_agent: 'embedded/canvas',
            digital_source_type: 'http://cv.iptc.org/newscodes/digitalsourcetype/algorithmicMedia',
          },
        ],
        generation: { execution_id: made.executionId, model: made.model, perceptual_hash: made.perceptualHash },
        problems: [],
      },
    });

    const changed = Buffer.from(body);
    const at = changed.indexOf(original.subarray(original.length / 2, original.length / 2 + 32));
    expect(at).toBeGreaterThan(0);
    changed[at] = (changed[at] as number) ^ 1;
    expect(await readBytes(changed, mime)).toMatchObject({ found: 'claims', claims: { state: 'altered', ours: true } });
  },
);

const pixelsOf = (bytes: Uint8Array) => sharp(bytes).raw().toBuffer();

test('signs a file into a new one next to it', async () => {
  const path = join(folder, 'made.png');
  await writeFile(path, await picture('png'));
  const { body, signed } = await provenance.sign({ path }, making('image/png'));
  expect({ body, signed }).toEqual({ body: { path: `${path}.signed` }, signed: true });
  expect(await provenance.read({ ...body, mime: 'image/png' })).toMatchObject({
    claims: { state: 'intact', ours: true },
  });
});

test("does not accept another installation's signature as ours, even under the same name", async () => {
  const { body } = await elsewhere.sign(await picture('png'), making('image/png'));
  const claims = { state: 'intact', ours: false, generation: null, signer: { organization: 'Chorus' } };
  expect(await readBytes(body, 'image/png')).toMatchObject({ found: 'claims', claims });
  expect(await readBytes(body, 'image/png', elsewhere)).toMatchObject({ claims: { state: 'intact', ours: false } });
});

test("keeps a provider's record in ours, and ours in an editor's", async () => {
  const { body: theirs } = await elsewhere.sign(await picture('png'), making('image/png'));
  const { body: ours } = await provenance.sign(theirs, making('image/png'));
  expect(await readBytes(ours, 'image/png')).toMatchObject({
    claims: {
      state: 'intact',
      ours: true,
      actions: [{ action: 'c2pa.opened' }],
      ingredients: [{ relationship: 'parentOf', generator: 'Chorus 0.1.0', ours: false, generation: null }],
    },
  });
  const { body: edited } = await elsewhere.sign(ours, making('image/png'));
  expect(await readBytes(edited, 'image/png')).toMatchObject({
    claims: {
      ours: false,
      ingredients: [{ relationship: 'parentOf', ours: true, generation: { model: 'embedded/canvas' } }],
    },
  });
});

test('reports missing, unsupported, and damaged records', async () => {
  const png = await picture('png');
  expect(await readBytes(png, 'image/png')).toEqual({ found: 'none' });
  expect(await readBytes(Buffer.from('text'), 'text/plain')).toEqual({ found: 'unsupported' });
  expect(await readBytes(Buffer.from('no picture'), 'image/png')).toMatchObject({ found: 'unreadable' });
  const { body } = await provenance.sign(png, making('image/png'));
  expect(await readBytes(body.subarray(0, 6_000), 'image/png')).toMatchObject({ found: 'unreadable' });
});

test('returns files that cannot be signed unchanged and leaves nothing behind', async () => {
  const temporary = await mkdtemp(join(folder, 'temporary-'));
  vi.stubEnv('TMPDIR', temporary);
  onTestFinished(() => void vi.unstubAllEnvs());
  const damaged = Buffer.from('no picture at all');
  expect(await provenance.sign(damaged, making('image/png'))).toMatchObject({ body: damaged, signed: false });
  const text = Buffer.from('text');
  expect(await provenance.sign(text, making('text/plain'))).toMatchObject({ body: text, signed: false });
  expect((await provenance.sign(await picture('png'), making('image/png'))).signed).toBe(true);
  const path = join(folder, 'damaged.png');
  await writeFile(path, damaged);
  expect(await provenance.sign({ path }, making('image/png'))).toMatchObject({ body: { path }, signed: false });
  await expect(readFile(`${path}.signed`)).rejects.toMatchObject({ code: 'ENOENT' });
  expect(await readdir(temporary)).toEqual([]);
});

test('aborts signing with the reason of the signal', async () => {
  const controller = new AbortController();
  const finishing = provenance.sign(await picture('png'), making('image/png'), controller.signal);
  const reason = new Error('stop');
  controller.abort(reason);
  await expect(finishing).rejects.toBe(reason);
  expect((await provenance.sign(await picture('png'), making('image/png'))).signed).toBe(true);
});

test('shares certificates between processes', async () => {
  const second = await createProvenance({ database, certificate: null, log });
  const { body } = await second.sign(await picture('png'), making('image/png'));
  second.close();
  expect(await readBytes(body, 'image/png')).toMatchObject({ claims: { ours: true } });
});

test("recognizes signatures of the user's former certificates", async () => {
  const certificate = { ...issueCertificates(), algorithm: 'es256' as const };
  const second = await createProvenance({ database, certificate, log });
  const { body } = await second.sign(await picture('png'), making('image/png'));
  second.close();
  expect(await readBytes(body, 'image/png')).toMatchObject({ claims: { state: 'intact', ours: true } });
  expect(await readBytes(body, 'image/png', elsewhere)).toMatchObject({ claims: { ours: false } });
});

test('finds generated files by content and similarity within their scope', async () => {
  const hash = '0123456789abcdef';
  const asset = {
    id: newId('asset'),
    owner,
    sha256: 'a'.repeat(64),
    kind: 'image' as const,
    perceptual_hash: hash,
    created_at: new Date(),
  };
  const generated = { asset, executionId: newId('job'), model: 'embedded/canvas', unsignedSha256: 'b'.repeat(64) };
  await provenance.recordGenerated(generated);
  await provenance.recordGenerated({ ...generated, model: 'another/one' });
  for (const sha256 of ['a', 'b'].map((digit) => digit.repeat(64)))
    expect(await provenance.findByContent(owner, sha256)).toMatchObject([{ id: asset.id, model: 'embedded/canvas' }]);
  expect(await provenance.findByContent(owner, 'c'.repeat(64))).toEqual([]);

  // Ten bits of the last band, then eleven.
  expect(await provenance.findSimilar(owner, '0123456789abce10')).toMatchObject([
    { record: { id: asset.id }, distance: 10 },
  ]);
  expect(await provenance.findSimilar(owner, '0123456789abc610')).toEqual([]);
  expect(await provenance.findSimilar(owner, 'no hash')).toEqual([]);

  const stranger: Owner = { ...owner, user_id: newId('user') };
  expect(await provenance.findByContent(stranger, asset.sha256)).toEqual([]);
  expect(await provenance.findSimilar(stranger, hash)).toEqual([]);

  await database.erasure.erase({ user_id: owner.user_id });
  expect(await provenance.findByContent(owner, asset.sha256)).toEqual([]);
});

test('signs a WAV file and keeps its samples', async () => {
  const samples = Buffer.from(Int16Array.from({ length: 24_000 }, (_, index) => 8_000 * Math.sin(index / 9)).buffer);
  const header = Buffer.from('UklGRgAAAABXQVZFZm10IBAAAAABAAEAwF0AAIC7AAACABAAZGF0YQAAAAA=', 'base64');
  header.writeUInt32LE(36 + samples.length, 4);
  header.writeUInt32LE(samples.length, 40);
  const made = making('audio/wav');
  const { body, signed } = await provenance.sign(Buffer.concat([header, samples]), { ...made, perceptualHash: null });
  expect(signed).toBe(true);
  expect(body.indexOf(samples)).toBe(44);
  const claims = { state: 'intact', ours: true, generation: { execution_id: made.executionId } };
  expect(await readBytes(body, 'audio/wav')).toMatchObject({ found: 'claims', claims });
});
