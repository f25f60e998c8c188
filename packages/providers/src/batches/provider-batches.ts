import { ChorusError } from '@chorus/contract';
import { LaneWait } from '@chorus/lanes';
import type { CallFrame } from '../call-attempts.ts';
import { answerInstead, emptyAnswer } from '../call-fetch.ts';
import { openGate } from '../call-gate.ts';
import { NO_OBSERVER } from '../call-observer.ts';
import { CallStatus } from '../call-status.ts';
import type { ChatDialect } from '../chat-dialect.ts';
import { type EmbeddingModels, embeddingPort } from '../embedding-port.ts';
import { type ChatStart, checkSettings, streamModel } from '../model-stream.ts';
import type { CallOptions, ChatCall } from '../provider-port.ts';
import { standInFor } from './batch-answer.ts';
import type { BatchWire, PlannedRequest, ProviderBatches } from './batch-port.ts';
import { RequestCapture } from './captured-request.ts';
import { bytesOf, stageBatches } from './stage-batches.ts';

/** Builds chat calls, as for normal ones. */
interface ChatPlanning {
  dialect: ChatDialect;
  accept(call: ChatCall): ChatCall;
  start(call: ChatCall): ChatStart;
}

interface Models {
  chat: ChatPlanning | null;
  embedding: EmbeddingModels | undefined;
}

/** A batch that was just submitted may not be listed yet. */
const SETTLE_MS = 60_000;

/** Creates the port to a provider's batches. Calls are built, and answers read, by the code of normal calls. */
export function providerBatches(frame: CallFrame, wire: BatchWire, { chat, embedding }: Models): ProviderBatches {
  // Reading an answer is no call.
  const reading = { ...frame, gate: openGate, observer: NO_OBSERVER, status: new CallStatus(), inBatch: true };
  const usable = (request: PlannedRequest | null): PlannedRequest | null =>
    request !== null && wire.endpoints.has(request.endpoint) && bytesOf(wire, request) <= wire.limits.bytes
      ? request
      : null;
  /** Passes each request of an embedding call to a stand-in. */
  const embeddingWith = (take: (signal: AbortSignal) => void, fake: boolean) => {
    if (embedding === undefined) return null;
    return embeddingPort(reading, {
      ...embedding,
      model: (id) => ({
        async doEmbed(options) {
          take(options.abortSignal!);
          const made = embedding.model(id).doEmbed(options);
          if (!fake) return made;
          await Promise.resolve(made).catch(() => {}); // the stand-in's answer is empty
          const vector = new Array<number>(options.dimensions ?? 1).fill(1);
          return { embeddings: options.values.map(() => vector), warnings: [] };
        },
      }),
    });
  };

  return {
    limits: wire.limits,
    async planChat(call) {
      if (chat === null) return null;
      const accepted = chat.accept(call);
      const capture = new RequestCapture();
      const signal = capture.take(new AbortController().signal, emptyAnswer);
      const reader = (await chat.start(accepted).start(signal)).stream.getReader();
      const { value } = await reader.read();
      await reader.cancel();
      if (value?.type === 'stream-start') checkSettings(value.warnings, accepted, frame.provider);
      return usable(capture.only());
    },
    async planEmbedding(call) {
      const capture = new RequestCapture();
      const port = embeddingWith((signal) => capture.take(signal, emptyAnswer), true);
      await port?.(call, { signal: new AbortController().signal, executionId: '' });
      return usable(capture.only());
    },
    stage: (requests, options) => stageBatches(wire, requests, options),
    submit: wire.submit,
    async find(query, options) {
      const found = await wire.find(query, options);
      const isNew = Date.now() - query.submittedAt < (query.settleMs ?? SETTLE_MS);
      return found.status === 'missing' && isNew ? { status: 'unclear' } : found;
    },
    poll: wire.poll,
    cancel: wire.cancel,
    delete: wire.delete,
    async *readChat(call, answer, options) {
      if (chat === null) return;
      const accepted = chat.accept(call);
      const planned = chat.start(accepted);
      const standIn = standInFor(answer);
      const start: ChatStart['start'] = (signal, continuation) =>
        planned.start(answerInstead(signal, standIn), continuation);
      try {
        yield* streamModel({ ...reading, dialect: chat.dialect }, accepted, { ...planned, start }, once(options));
      } catch (thrown) {
        throw finalOf(thrown);
      }
    },
    async readEmbedding(call, answer, options) {
      const standIn = standInFor(answer);
      const port = embeddingWith((signal) => void answerInstead(signal, standIn), false);
      return port!(call, once(options)).catch((thrown: unknown) => {
        throw finalOf(thrown);
      });
    },
  };
}

/** A call may wait for its provider and try again, but the answer stays what it is. */
function finalOf(thrown: unknown): unknown {
  if (!(thrown instanceof LaneWait)) return thrown;
  const { code, message, retryAfterS } = thrown;
  return new ChorusError(code, message, retryAfterS === undefined ? {} : { retryAfterS });
}

/** The same answer would fail again. */
function once(options: CallOptions): CallOptions {
  return { ...options, maxWaitS: 0 };
}
