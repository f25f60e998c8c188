import { type EmbeddedTexts, embedTexts } from '../embed-texts.ts';
import type { CallOptions, EmbeddingCall } from '../provider-port.ts';
import type { BatchAnswer, PlannedRequest, ProviderBatches } from './batch-port.ts';

/** The batch endpoint of one provider. All models are `provider/model`. */
export interface Batches extends Omit<ProviderBatches, 'readEmbedding'> {
  readEmbedding(call: EmbeddingCall, answer: BatchAnswer, options: CallOptions): Promise<EmbeddedTexts>;
}

const own = <T extends { model: string }>(call: T): T => ({
  ...call,
  model: call.model.slice(call.model.indexOf('/') + 1),
});

export function withProviderNames(batches: ProviderBatches): Batches {
  return {
    ...batches,
    planChat: (call) => batches.planChat(own(call)),
    async planEmbedding(call) {
      let planned: PlannedRequest | null = null;
      // Prepares the texts as for a normal call.
      const plan = async (prepared: EmbeddingCall) => {
        planned = await batches.planEmbedding(own(prepared));
        const vector = new Array<number>(prepared.dimensions ?? 1).fill(1);
        return { embeddings: prepared.texts.map(() => vector), usage: NO_USAGE };
      };
      await embedTexts(plan, call, { signal: new AbortController().signal, executionId: '' });
      return planned;
    },
    stage: (requests, options) => batches.stage(requests, own(options)),
    find: (query, options) => batches.find(own(query), options),
    readChat: (call, answer, options) => batches.readChat(own(call), answer, options),
    readEmbedding: (call, answer, options) =>
      embedTexts((prepared, given) => batches.readEmbedding(own(prepared), answer, given), call, options),
  };
}

const NO_USAGE = { input_tokens: 0, output_tokens: 0, total_tokens: 0, cost_usd: null };
