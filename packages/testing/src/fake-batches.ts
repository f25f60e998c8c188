import type { ServerResponse } from 'node:http';
import { type ChatWire, wholeAnswer } from './fake-answer.ts';
import { behaviorOf, type FakeBehavior } from './fake-behavior.ts';
import type { FakeLimits } from './fake-limits.ts';
import { madeBesideChat } from './fake-media.ts';
import { promptOf } from './fake-prompt.ts';
import { type FakeRequest, sendJson } from './fake-server.ts';

/** How long a batch takes to end after it was cancelled. */
const CANCEL_MS = 50;

export interface FakeBatchRequest {
  id: string;
  /** The path of the same request outside of a batch. */
  path: string;
  model: string;
  body: Record<string, unknown>;
}

export interface FakeBatchItem extends FakeBatchRequest {
  outcome: { status: number; body: unknown } | 'expired' | 'cancelled';
}

export interface FakeBatch {
  id: string;
  createdAt: number;
  cancelledAt: number | null;
  requests: FakeBatchRequest[];
  /** Fields of the provider, such as our mark. */
  given: Record<string, unknown>;
  /** Null until it ends. */
  items: FakeBatchItem[] | null;
}

export type FakeBatchState = 'running' | 'cancelling' | 'completed' | 'expired' | 'cancelled' | 'failed';

interface Options {
  limits: FakeLimits;
  wireOf(path: string): ChatWire | null;
  script?: ((request: FakeRequest) => Partial<FakeBehavior> | undefined) | undefined;
}

/**
 * The batches and files of a fake provider. `batchMs` and `batchEnd` of the limits decide how a batch ends. A prompt
 * with `[fail-400]` or another status fails alone, and one with `[expire]` expires alone. A batch that expires or is
 * cancelled has answered the first half of its requests.
 */
export class FakeBatches {
  readonly files = new Map<string, Buffer>();
  readonly all: FakeBatch[] = [];
  readonly #options: Options;
  #number = 0;

  constructor(options: Options) {
    this.#options = options;
  }

  newId(prefix: string): string {
    this.#number += 1;
    return `${prefix}${process.pid}x${this.#number}`;
  }

  create(prefix: string, requests: FakeBatchRequest[], given: FakeBatch['given']): FakeBatch {
    const batch = { id: this.newId(prefix), createdAt: Date.now(), cancelledAt: null, requests, given, items: null };
    this.all.push(batch);
    this.#options.limits.submitted(requests.map((request) => promptOf(toRequest(request))));
    return batch;
  }

  find(id: string | undefined): FakeBatch | null {
    return this.all.find((batch) => batch.id === id) ?? null;
  }

  /** Returns the newest first. */
  newest(): FakeBatch[] {
    return this.all.toReversed();
  }

  cancel(batch: FakeBatch): void {
    if (this.stateOf(batch) === 'running') batch.cancelledAt = Date.now();
  }

  remove(batch: FakeBatch): void {
    this.all.splice(this.all.indexOf(batch), 1);
  }

  stateOf(batch: FakeBatch): FakeBatchState {
    const { batchMs, batchEnd } = this.#options.limits.settings;
    const now = Date.now();
    if (batch.items === null) {
      const isCancelled = batch.cancelledAt !== null;
      if (isCancelled ? now < batch.cancelledAt! + CANCEL_MS : now < batch.createdAt + batchMs)
        return isCancelled ? 'cancelling' : 'running';
      const end = isCancelled ? 'cancelled' : END_STATES[batchEnd];
      batch.given.end = end;
      batch.items =
        end === 'failed' ? [] : batch.requests.map((request, index) => this.#run(batch, request, index, end));
    }
    return batch.given.end as FakeBatchState;
  }

  counts({ items, requests }: FakeBatch) {
    const outcomes = (items ?? []).map(({ outcome }) => outcome);
    const completed = outcomes.filter((one) => typeof one === 'object' && one.status < 300).length;
    const failed = outcomes.filter((one) => typeof one === 'object' && one.status >= 300).length;
    const expired = outcomes.filter((one) => one === 'expired').length;
    const cancelled = outcomes.filter((one) => one === 'cancelled').length;
    return { total: requests.length, completed, failed, expired, cancelled };
  }

  #run(batch: FakeBatch, request: FakeBatchRequest, index: number, end: FakeBatchState): FakeBatchItem {
    const isLate = index >= Math.ceil(batch.requests.length / 2);
    if (isLate && (end === 'cancelled' || end === 'expired')) return { ...request, outcome: end };
    const asked = toRequest(request);
    const prompt = promptOf(asked);
    if (prompt.includes('[expire]')) return { ...request, outcome: 'expired' };
    const outcome = this.#answer(asked, prompt);
    if (outcome.status < 300) this.#options.limits.answered(prompt);
    return { ...request, outcome };
  }

  #answer(request: FakeRequest, prompt: string): { status: number; body: unknown } {
    const { wireOf, script } = this.#options;
    const mark = /\[(fail-\d+)\]/.exec(prompt)?.[1];
    const behavior = { ...behaviorOf(mark ?? request.model), ...script?.(request) };
    const wire = wireOf(request.path);
    if (wire !== null) return wholeAnswer(wire, request, behavior);
    const made = madeBesideChat(request);
    return { status: made === null ? 404 : 200, body: made === null ? {} : JSON.parse(made.body.toString()) };
  }
}

/** Whether a request is for batches or their files, in any wire format. */
export const isBatchPath = (path: string): boolean =>
  /\/(files|batches|batch\/jobs)(\/|$)|^\/(upload|download)\/|:(batchGenerateContent|asyncBatchEmbedContent)$/.test(
    path,
  );

/** Answers about a new batch only after `latencyMs`, so that its sender may die in between. */
export const lateAnswer =
  (limits: FakeLimits) =>
  (response: ServerResponse, value: unknown): void =>
    void setTimeout(() => sendJson(response, 200, value), limits.settings.latencyMs);

const END_STATES = { complete: 'completed', expire: 'expired', fail: 'failed' } as const;

function toRequest({ path, model, body }: FakeBatchRequest): FakeRequest {
  const now = Date.now();
  return {
    number: 0,
    method: 'POST',
    path,
    query: {},
    headers: {},
    body,
    form: [],
    bodyBytes: 0,
    model,
    receivedAt: now,
    closedAt: null,
    finished: false,
    wordsSent: 0,
  };
}

/** Reads a file of JSON lines. */
export function linesOf(file: Buffer): Record<string, unknown>[] {
  const lines = file.toString().split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line));
}

export const toLines = (values: unknown[]): Buffer =>
  Buffer.from(values.map((value) => `${JSON.stringify(value)}\n`).join(''));
