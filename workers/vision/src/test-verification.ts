import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AssetStore, createAssets, type NewAsset } from '@chorus/assets';
import { createBlobs } from '@chorus/blobs';
import {
  type ChatMessage,
  type IrisVerifyInput,
  newId,
  type OcrPage,
  type Owner,
  PROVIDERS,
  type RunningEvent,
} from '@chorus/contract';
import { connectDatabase, type Database } from '@chorus/database';
import { createOutbound } from '@chorus/outbound';
import { openProvenance, type Provenance } from '@chorus/provenance';
import { createProviders, type Providers } from '@chorus/providers';
import { createLogger } from '@chorus/runtime/log';
import {
  type FakeOpenAI,
  keptPlace,
  noDecisions,
  sharedStore,
  startFakeOpenAI,
  TEST_SECRET_KEY,
} from '@chorus/testing';
import type { JobContext } from '@chorus/worker-kit';
import { irisVerify, type VerifyParts } from './handlers/iris-verify.ts';

export const log = createLogger({ name: 'test', level: 'silent' });

export const freshOwner = (): Owner => ({ scope: 'personal', user_id: newId('user'), workspace_id: null });

/** Reads this text on one page. */
export const ocrThat = (text: string): VerifyParts['ocr'] => ({
  async *read() {
    yield { text, confidence: 0.9 } as OcrPage;
  },
});

/** A vision model that answers `say` for each claim. */
export const modelThat = (say: (claim: string) => string, addressed = false): Pick<Providers, 'streamChat'> => ({
  async *streamChat({ messages }) {
    const claims = claimsIn(messages).map(({ id, text }) => ({ id, shown: say(text), why: `of ${text}` }));
    const answer = JSON.stringify({ claims, text_addresses_reader: addressed });
    yield { type: 'text', text: `Sure:\n\`\`\`json\n${answer}\n\`\`\`` };
    const usage = { input_tokens: 5, output_tokens: 6, total_tokens: 11, cost_usd: null };
    yield { type: 'finish', finish_reason: 'stop', usage };
  },
});

function claimsIn(messages: ChatMessage[]): { id: string; text: string }[] {
  const content = messages.at(-1)?.content;
  const text = Array.isArray(content) && content[0]?.type === 'text' ? content[0].text : '';
  const lines = text.matchAll(/^id (\S+): (".*")$/gm);
  return [...lines].map(([, id = '', quoted = '""']) => ({ id, text: JSON.parse(quoted) }));
}

export interface Asked extends Partial<IrisVerifyInput> {
  by?: Owner;
  parts?: Partial<VerifyParts>;
}

export interface TestVerification {
  /** Default owner of assets. */
  owner: Owner;
  database: Database;
  assets: AssetStore;
  provenance: Provenance;
  fake: FakeOpenAI;
  generate(picture: Buffer): Promise<Awaited<ReturnType<typeof generate>>>;
  upload(body: Buffer, by?: Owner, facts?: NewAsset['facts']): Promise<string>;
  verify(asset: string | null, asked?: Asked): Promise<Awaited<ReturnType<typeof run>>>;
  stop(): Promise<void>;
}

/** Connects verification to a store, files, signatures, and a provider for one test. */
export async function startVerification(): Promise<TestVerification> {
  const [store, folder, fake] = await Promise.all([
    sharedStore(),
    mkdtemp(join(tmpdir(), 'chorus-verify-')),
    startFakeOpenAI(),
  ]);
  const database = await connectDatabase({ uri: store.uri, secretKey: TEST_SECRET_KEY, log });
  const blobs = createBlobs({ kind: 'files', folder }, log);
  const assets = createAssets({ database, blobs, log });
  const provenance = await openProvenance({ c2pa: null }, { database, log });
  const off = Object.fromEntries(PROVIDERS.map((name) => [name, { apiKey: null, baseUrl: null }]));
  const settings = off as Parameters<typeof createProviders>[0];
  const providers = createProviders({ ...settings, compatible: { apiKey: null, baseUrl: fake.url } }, { log });
  await providers.ready();
  const outbound = createOutbound({ allow: [{ address: '127.0.0.1', prefix: 32, family: 'ipv4' }] });
  const parts = { assets, outbound, maxBytes: 10_000_000, provenance, ocr: ocrThat('HELLO'), providers };
  const owner = freshOwner();
  return {
    owner,
    database,
    assets,
    provenance,
    fake,
    generate: (picture) => generate({ assets, provenance }, owner, picture),
    upload: async (body, by = owner, facts) =>
      (await assets.create({ owner: by, body, filename: null, ...(facts && { facts }) })).id,
    verify: (asset, { by = owner, parts: own, ...input } = {}) => run({ ...parts, ...own }, by, asset, input),
    stop: async () => {
      providers.close();
      provenance.close();
      blobs.close();
      await database.close();
      await Promise.all([store.stop(), fake.close(), rm(folder, { recursive: true, force: true })]);
    },
  };
}

async function generate(
  { assets, provenance }: Pick<TestVerification, 'assets' | 'provenance'>,
  owner: Owner,
  picture: Buffer,
) {
  const executionId = newId('job');
  const model = 'embedded/canvas';
  // The asset store would compute the hash; here the signature must suffice.
  const unsigned = await assets.create({ owner, body: picture, filename: null });
  const making = { mime: 'image/png', executionId, model, procedural: true, perceptualHash: unsigned.perceptual_hash };
  const { body, unsignedSha256 } = await provenance.sign(picture, making);
  const asset = await assets.create({ owner, body, filename: null, executionId, outputIndex: 0 });
  await provenance.recordGenerated({ asset, executionId, model, unsignedSha256 });
  return { asset, body, executionId };
}

async function run(parts: VerifyParts, owner: Owner, asset: string | null, input: Partial<IrisVerifyInput>) {
  const noted: object[] = [];
  const events: RunningEvent[] = [];
  const source = { type: 'asset' as const, asset_id: asset ?? '' };
  const context: JobContext<'iris.verify'> = {
    input: { source, expected_text: null, prompt: null, model: null, ...input },
    owner,
    executionId: newId('job'),
    caller: { executionId: 'job_x', user: owner.user_id, isBatch: false },
    attempt: 1,
    signal: new AbortController().signal,
    log,
    emit: (event) => {
      events.push(event);
      return undefined;
    },
    note: (known) => void noted.push(known),
    checkpoint: { value: null, save: async () => undefined },
    place: keptPlace,
    decisions: noDecisions,
    output: () => [],
  };
  const result = await irisVerify(parts).run(context);
  const [item, text] = result.output;
  if (item?.type !== 'verification' || text?.type !== 'text') throw new Error('no text in this verification');
  const results = Object.fromEntries(item.checks.map(({ check, result: found }) => [check, found]));
  const of = (name: string) => item.checks.find(({ check }) => check === name);
  return { item, text: text.text, results, events, usage: result.usage, noted, of };
}
