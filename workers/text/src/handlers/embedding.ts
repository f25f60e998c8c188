import { type Assets, assetFactsOf } from '@chorus/assets';
import { ChorusError, type JobOutput, npyHeader, type Usage } from '@chorus/contract';
import { JointCalls, type Providers } from '@chorus/providers';
import { NO_USAGE, sumUsage } from '@chorus/providers/usage';
import { type Handler, type JobContext, persist } from '@chorus/worker-kit';

interface EmbeddingParts {
  providers: Pick<Providers, 'embedTexts'>;
  assets: Pick<Assets, 'create'>;
}

/** Texts per call. A failed call reports no usage. */
const CALL_TEXTS = 1_024;

/** 256 KB in base64. Larger results become an asset. */
const MAX_INLINE_BYTES = 196_608;

export const embedding = (parts: EmbeddingParts): Handler<'embedding'> => ({
  async run(job) {
    const { model } = job.input;
    const maker = { model, provider: model.split('/', 1)[0] as string };
    job.note(maker);
    const { vectors, dimensions, usage } = await embedAll(parts, job);
    return { output: await outputOf(parts, job, vectors, dimensions), usage, ...maker, finish_reason: 'stop' };
  },
});

async function embedAll(
  { providers }: EmbeddingParts,
  { input, caller, signal, note, emit }: JobContext<'embedding'>,
): Promise<{ vectors: Float32Array; dimensions: number; usage: Usage }> {
  const { model, texts } = input;
  const calls = new JointCalls();
  const call = { model, purpose: null, ...(input.dimensions !== null && { dimensions: input.dimensions }) };
  let vectors = new Float32Array();
  let dimensions = 0;
  let spent: Usage | null = null;
  const spend = (used: Usage) => {
    const sum = spent === null ? used : sumUsage(spent, used);
    spent = sum;
    note({ usage: sum, unsaved: () => sum });
    return sum;
  };
  const options = { signal, ...caller, onUnfinished: spend };
  let usage: Usage = NO_USAGE;
  for (let at = 0; at < texts.length; at += CALL_TEXTS) {
    const part = { ...call, texts: texts.slice(at, at + CALL_TEXTS) };
    const made = await calls.run(options, (own) => providers.embedTexts(part, own));
    if (at === 0) {
      dimensions = made.dimensions;
      vectors = new Float32Array(texts.length * dimensions);
    }
    if (made.dimensions !== dimensions)
      throw new ChorusError('provider_error', `${model} gave vectors of different lengths`);
    for (const [index, vector] of made.vectors.entries()) vectors.set(vector, (at + index) * dimensions);
    usage = spend(made.usage);
    const completed = at + made.vectors.length;
    if (texts.length > CALL_TEXTS)
      await emit({ type: 'progress', progress: { completed, total: texts.length, stage: 'embedding' } });
  }
  return { vectors, dimensions, usage };
}

async function outputOf(
  { assets }: EmbeddingParts,
  { owner, executionId, signal }: JobContext<'embedding'>,
  vectors: Float32Array,
  dimensions: number,
): Promise<JobOutput<'embedding'>[]> {
  const bytes = Buffer.from(vectors.buffer, vectors.byteOffset, vectors.byteLength);
  const item = { type: 'embeddings' as const, count: vectors.length / dimensions, dimensions };
  if (bytes.length <= MAX_INLINE_BYTES) return [{ ...item, data: bytes.toString('base64') }];
  const body = Buffer.concat([npyHeader(item.count, dimensions), bytes]);
  const filename = `embeddings-${item.count}x${dimensions}.npy`;
  const asset = await persist(
    () => assets.create({ owner, body, filename, executionId, outputIndex: 1 }),
    () => !signal.aborted,
  );
  return [
    { ...item, data: null },
    { type: 'asset', asset: assetFactsOf(asset) },
  ];
}
