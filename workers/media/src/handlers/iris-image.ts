import {
  type AssetFacts,
  ChorusError,
  type ErrorCode,
  type IrisImageInput,
  type OutputItem,
  type Owner,
  scopeKey,
} from '@chorus/contract';
import { MediaError, probeImage } from '@chorus/media';
import type { GivenImage, ImageCall } from '@chorus/providers';
import type { Handler, JobContext, JobResult } from '@chorus/worker-kit';
import { givenImages } from './given-image.ts';
import { keepMade, keptBefore } from './keep-made.ts';
import { type MediaParts, makerOf } from './media-parts.ts';
import { Tally } from './tally.ts';

/** So many images of one execution are made at once. */
const AT_ONCE = 4;

/** A provider that limits calls is waited for so long, in seconds. */
const MAX_WAIT_S = 45;

/** Seeds are 31 bits. */
const SEEDS = 2 ** 31;

/** What the next image would fail with, too. */
const ENDS_ALL: ReadonlySet<ErrorCode> = new Set([
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
 * Images, one call each, a few at once. Each is stored and shown as it is finished, so an attempt that takes over makes only what is missing; where
 * some of several fail the others are kept, in the output of an execution that failed.
 */
export const irisImage = (parts: MediaParts): Handler<'iris.image'> => ({
  async run(job): Promise<JobResult> {
    const { input, owner, signal, emit, note, checkpoint } = job;
    const total = input.prompts.length * input.n;
    const tally = new Tally(checkpoint.value);
    const output = new Map<number, OutputItem>();
    const failures: Failure[] = [];
    note({ ...makerOf(input.model), ...tally.known });

    const show = async (index: number, asset: AssetFacts) => {
      const item: OutputItem = { type: 'asset', asset };
      output.set(index, item);
      await emit({ type: 'output.item', index, item });
    };
    const progress = () => emit({ type: 'progress', progress: { completed: output.size, total, stage: 'rendering' } });

    for (const [index, asset] of await keptBefore(parts, job)) await show(index, asset);
    await progress();
    // Nothing is paid for that could not be kept.
    if (output.size < total) await parts.assets.quota.check(owner);
    const references = await givenImages(parts.assets, job, input.reference_asset_ids);

    let saving = Promise.resolve();
    const missing = Array.from({ length: total }, (_, index) => index).filter((index) => !output.has(index));
    let givesBack = false;
    const makeNext = async (): Promise<void> => {
      for (let index = missing.shift(); index !== undefined; index = missing.shift()) {
        signal.throwIfAborted();
        try {
          const asset = await makeOne(parts, job, index, references, tally);
          note(tally.known);
          // Before it is shown: what an attempt has shown of its costs, the next one knows.
          if (output.size + 1 < total) saving = saving.then(() => checkpoint.save(tally.known));
          await saving;
          await show(index, asset);
          await progress();
          // One that failed would be tried, and paid, again.
          givesBack ||= missing.length > 0 && failures.length === 0 && (await job.place.isWanted());
          if (givesBack) return;
        } catch (error) {
          signal.throwIfAborted();
          if (!(error instanceof ChorusError)) {
            missing.length = 0;
            throw error;
          }
          failures.push({ index, error });
          if (ENDS_ALL.has(error.code)) missing.length = 0;
        }
      }
    };
    // Each ends what it has begun, whatever becomes of the others: it is paid.
    const ends = await Promise.allSettled(Array.from({ length: Math.min(AT_ONCE, total) }, makeNext));
    signal.throwIfAborted();
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
    if (failures.length > 0) throw failureOf(failures, total);
    if (output.size < total) job.place.giveBack();
    return {
      output: Array.from({ length: total }, (_, index) => output.get(index) as OutputItem),
      ...tally.known,
      ...makerOf(input.model),
      finish_reason: 'stop',
    };
  },
});

async function makeOne(
  parts: MediaParts,
  { input, owner, executionId, signal }: JobContext<'iris.image'>,
  index: number,
  references: GivenImage[],
  tally: Tally,
): Promise<AssetFacts> {
  const call = callOf(input, index, references);
  const { bytes, usage, warnings } = await parts.providers.generateImage(call, {
    signal,
    executionId,
    user: owner.user_id,
    maxWaitS: MAX_WAIT_S,
  });
  tally.add(usage, warnings);
  const { model, prompt } = call;
  const made = { body: bytes, kind: 'image', perceptualHash: await hashOf(owner, model, bytes) } as const;
  return keepMade(parts, { ...made, owner, executionId, outputIndex: index, model, prompt }, signal);
}

/** What the image at one place of the output is asked with: `n` of each prompt, in their order. */
function callOf(input: IrisImageInput, index: number, references: GivenImage[]): ImageCall {
  const { model, prompts, n, size, seed, negative_prompt } = input;
  return {
    model,
    prompt: prompts[Math.floor(index / n)] as string,
    ...(size && { size }),
    ...(seed !== null && { seed: (seed + index) % SEEDS }),
    ...(negative_prompt !== null && { negativePrompt: negative_prompt }),
    ...(references.length > 0 && { references }),
  };
}

async function hashOf(owner: Owner, model: string, bytes: Uint8Array): Promise<string | null> {
  try {
    return (await probeImage(bytes, { owner: scopeKey(owner) })).perceptual_hash;
  } catch (error) {
    if (!(error instanceof MediaError)) throw error;
    throw new ChorusError('provider_error', `${model} gave an image that can't be used: ${error.message}`);
  }
}

/** Of one image its own error; of several what the first failed with, and which they are. */
function failureOf(failures: Failure[], total: number): ChorusError {
  failures.sort((one, other) => one.index - other.index);
  const [{ error }] = failures as [Failure];
  if (total === 1) return error;
  const { code, message, retryAfterS } = error;
  const left = failures.length;
  return new ChorusError(code, `${left} of ${total} images could not be made: ${message}`, {
    details: failures.map((one) => ({ path: `output.${one.index}`, message: one.error.message })),
    ...(retryAfterS !== undefined && { retryAfterS }),
  });
}
