import { rm } from 'node:fs/promises';
import type { ChatMessage, ChatSettings } from '@chorus/contract';
import { type FakeOpenAI, type FakeProvider, temporaryFolder } from '@chorus/testing';
import type { CallOptions, ChatPart } from '../provider-port.ts';
import type { Providers } from '../providers.ts';
import { ask, closers, start, startFake } from '../test-providers.ts';
import type { BatchAnswer, BatchRequest, BatchResult, BatchState, StagedBatch } from './batch-port.ts';
import type { Batches } from './batches.ts';

/** Providers with a batch endpoint, and their facts. */
export const ROWS = [
  { name: 'openai', priced: 'gpt-4o', embeds: 'text-embedding-3-small' },
  { name: 'anthropic', priced: 'claude-haiku-4-5', embeds: null },
  { name: 'google', priced: 'gemini-2.5-flash', embeds: 'gemini-embedding-001' },
  { name: 'mistral', priced: 'mistral-small-latest', embeds: 'mistral-embed' },
  { name: 'groq', priced: 'llama-3.1-8b-instant', embeds: null },
] as const;
export type Name = (typeof ROWS)[number]['name'];

export const options: CallOptions = { signal: new AbortController().signal, executionId: 'job_test' };

export interface BatchTest {
  fake: FakeOpenAI | FakeProvider;
  providers: Providers;
  batches: Batches;
  folder: string;
}

export async function startBatches(name: Name, idleTimeoutMs = 60_000): Promise<BatchTest> {
  const { fake, providers } = await (name === 'openai' ? start({ idleTimeoutMs }) : startFake(name, { idleTimeoutMs }));
  const folder = await temporaryFolder('batches-');
  closers.push(() => rm(folder, { recursive: true }));
  return { fake, providers, batches: (await providers.batchesOf(`${name}/any`))!, folder };
}

export interface TestCall {
  model: string;
  messages: ChatMessage[];
  settings: ChatSettings;
}

export const saying = (model: string, ...texts: string[]): TestCall[] =>
  texts.map((content) => ({ model, messages: [{ role: 'user', content }], settings: {} }));

/** Stages chats as one batch, with ids `job_0`, `job_1`, and so on. */
export async function stage({ batches, folder }: BatchTest, calls: TestCall[], key: string): Promise<StagedBatch> {
  async function* requests(): AsyncGenerator<BatchRequest> {
    for (const [index, call] of calls.entries()) yield { id: `job_${index}`, ...(await batches.planChat(call))! };
  }
  const staged: StagedBatch[] = [];
  const { model } = calls[0]!;
  for await (const one of batches.stage(requests(), { folder, model, nextKey: () => key })) staged.push(one);
  if (staged.length !== 1) throw new Error(`staged ${staged.length} batches`);
  return staged[0]!;
}

type Ended = Extract<BatchState, { status: 'ended' | 'expired' | 'cancelled' }>;

export async function resultsOf(state: BatchState): Promise<Map<string, BatchResult>> {
  const results = new Map<string, BatchResult>();
  for await (const result of (state as Ended).results(options)) results.set(result.id, result);
  return results;
}

/** Runs chats as one batch, and returns its results. */
export async function run(test: BatchTest, calls: TestCall[], key = 'part_1'): Promise<Map<string, BatchResult>> {
  const operation = await test.batches.submit(await stage(test, calls, key), options);
  return resultsOf(await test.batches.poll(operation, options));
}

export async function read(batches: Batches, call: TestCall, answer: BatchAnswer | undefined): Promise<ChatPart[]> {
  const parts: ChatPart[] = [];
  for await (const part of batches.readChat(call, answer!, options)) parts.push(part);
  return parts;
}

/** Asks a normal call. */
export async function askNormally(providers: Providers, { model, ...call }: TestCall): Promise<ChatPart[]> {
  const { parts, error } = await ask(providers, model, call);
  if (error !== null) throw error;
  return parts as ChatPart[];
}
