import {
  type AssetFacts,
  ChorusError,
  type ErrorCode,
  type IrisImageInput,
  type JobOutput,
  type Owner,
  scopeKey,
} from '@chorus/contract';
import { MediaError, probeImage } from '@chorus/media';
import { type CallOptions, type ImageCall, type InputImage, LaneWait } from '@chorus/providers';
import type { Handler, JobContext } from '@chorus/worker-kit';
import { type MediaParts, makerOf } from './media-parts.ts';
import { readInputImages } from './read-input-images.ts';
import { storedBefore, storeGenerated } from './store-generated.ts';
import { Tally } from './tally.ts';

const CONCURRENCY = 4;

const SEEDS = 2 ** 31;

/** Errors that all other images would have too. */
const FATAL_ERRORS: ReadonlySet<ErrorCode> = new Set([
  'provider_auth',
  'provider_rate_limited',
  'model_not_found',
  'storage_full',
  'store_unavailable',
]);

interface Failure {
  index: number;
  error: ChorusError;
}

/**
 * Makes images with concurrent calls. Each is stored and shown when finished, so a takeover makes only missing
 * ones.
 * If some fail, the execution fails but keeps the others in its output.
 */
export const irisImage = (parts: MediaParts): Handler<'iris.image'> => ({
  async run(job) {
    const { input, owner, signal, emit, note, checkpoint } = job;
    const total = input.prompts.length * input.n;
    const tally = new Tally(checkpoint.value);
    const output = new Map<number, JobOutput<'iris.image'>>();
    const failures: Failure[] = [];
    note({ ...makerOf(input.model), ...tally.known });

    const show = async (index: number, asset: AssetFacts) => {
      const item = { type: 'asset' as const, asset };
      output.set(index, item);
      await emit({ type: 'output.item', index, item });
    };
    const progress = () => emit({ type: 'progress', progress: { completed: output.size, total, stage: 'rendering' } });

    for (const [index, asset] of await storedBefore(parts, job)) await show(index, asset);
    await progress();
    // Checks the quota before paying.
    if (output.size < total) await parts.assets.quota.check(owner);
    const { reference_asset_ids, mask_asset_id } = input;
    const ids = mask_asset_id === undefined ? reference_asset_ids : [...reference_asset_ids, mask_asset_id];
    const references = await readInputImages(parts.assets, job, ids);
    const mask = mask_asset_id === undefined ? undefined : references.pop();

    let saving = Promise.resolve();
    const missing = Array.from({ length: total }, (_, index) => index).filter((index) => !output.has(index));
    let givesBack = false;
    const makeNext = async (): Promise<void> => {
      for (let index = missing.shift(); index !== undefined; index = missing.shift()) {
        signal.throwIfAborted();
        try {
          const asset = await makeOne(parts, job, callOf(input, index, references, mask), index, tally);
          note(tally.known);
          // Saved before the image is shown, so that the next attempt knows its cost.
          if (output.size + 1 < total) saving = saving.then(() => checkpoint.save(tally.known));
          await saving;
          await show(index, asset);
          await progress();
          // A failed image would be retried, and paid for again.
          givesBack ||= missing.length > 0 && failures.length === 0 && (await job.place.isWanted());
          if (givesBack) return;
        } catch (error) {
          note(tally.known);
          signal.throwIfAborted();
          if (!(error instanceof ChorusError)) {
            missing.length = 0;
            throw error;
          }
          failures.push({ index, error });
          if (error instanceof LaneWait || FATAL_ERRORS.has(error.code)) missing.length = 0;
        }
      }
    };
    // Calls in progress always finish, because they are paid for.
    const ends = await Promise.allSettled(Array.from({ length: Math.min(CONCURRENCY, total) }, makeNext));
    // A later attempt must know what the calls of this one may cost.
    if (signal.aborted) await checkpoint.save(tally.known);
    signal.throwIfAborted();
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
    const [first] = failures;
    // The next attempt makes only the missing images.
    if (first && failures.every(({ error }) => error instanceof LaneWait)) throw first.error;
    if (failures.length > 0) throw failureOf(failures, total);
    if (output.size < total) job.place.giveBack();
    return {
      output: Array.from({ length: total }, (_, index) => output.get(index)!),
      ...tally.known,
      ...makerOf(input.model),
      finish_reason: 'stop',
    };
  },
});

async function makeOne(
  parts: MediaParts,
  { owner, executionId, caller, signal }: JobContext<'iris.image'>,
  call: ImageCall,
  index: number,
  tally: Tally,
): Promise<AssetFacts> {
  const options: CallOptions = {
    signal,
    ...caller,
    // The provider may finish the image, and charge for it.
    onUnfinished(estimate) {
      if (estimate.cost_usd !== null) tally.add(estimate, []);
    },
  };
  const { bytes, usage, warnings } = await parts.providers.generateImage(call, options);
  tally.add(usage, [...warnings, ...parts.provenance.warnings]);
  const { model, prompt } = call;
  const made = { body: bytes, kind: 'image', perceptualHash: await hashOf(owner, model, bytes) } as const;
  return storeGenerated(parts, { ...made, owner, executionId, outputIndex: index, model, prompt }, signal);
}

/** Returns the call for one place of the output: `n` for each prompt, in order. */
function callOf(input: IrisImageInput, index: number, references: InputImage[], mask?: InputImage): ImageCall {
  const { model, prompts, n, size, seed, negative_prompt, options } = input;
  return {
    model,
    prompt: prompts[Math.floor(index / n)] as string,
    ...(size && { size }),
    ...(seed !== null && { seed: (seed + index) % SEEDS }),
    ...(negative_prompt !== null && { negativePrompt: negative_prompt }),
    ...(references.length > 0 && { references }),
    ...(mask && { mask }),
    ...(options && { options }),
  };
}

async function hashOf(owner: Owner, model: string, bytes: Uint8Array): Promise<string | null> {
  try {
    return (await probeImage(bytes, { owner: scopeKey(owner) })).perceptual_hash;
  } catch (error) {
    if (!(error instanceof MediaError)) throw error;
    throw new ChorusError('provider_error', `${model} returned an invalid image: ${error.message}`);
  }
}

/** Returns the error of a single image, or the first error with the affected places. */
function failureOf(failures: Failure[], total: number): ChorusError {
  failures.sort((one, other) => one.index - other.index);
  const [{ error }] = failures as [Failure];
  if (total === 1) return error;
  const { code, message, retryAfterS } = error;
  const left = failures.length;
  return new ChorusError(code, `${left} of ${total} images failed: ${message}`, {
    details: failures.map((one) => ({ path: `output.${one.index}`, message: one.error.message })),
    ...(retryAfterS !== undefined && { retryAfterS }),
  });
}
