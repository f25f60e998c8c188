import type { Usage } from '@chorus/contract';
import { sumUsage } from '@chorus/executions';
import { textToEmbed } from './piece.ts';
import { PIECES_OF_A_PART, type RevisionFiles } from './revision-files.ts';

/** Parts that are embedded at once: a provider's latency is long, and its limits are its gate's business. */
const AT_ONCE = 3;

/** Texts of a part that the embedded encoder is given before others are asked after. */
const STEP = 4;

/** The embedded encoder computes one text after another: several parts would only all be done later. */
const isEmbedded = (model: string) => model.startsWith('embedded/');

/** Vectors of texts that are to be found, in their order. */
export type EmbedTexts = (
  texts: string[],
  signal: AbortSignal,
) => Promise<{ vectors: Float32Array[]; dimensions: number; usage: Usage }>;

export interface EmbedRevision {
  files: RevisionFiles;
  model: string;
  /** Of the revision. */
  pieceCount: number;
  embed: EmbedTexts;
  signal: AbortSignal;
  /** Told when the vectors of so many more pieces are kept, with what they cost; of those that were there already without. */
  onKept?(pieces: number, usage: Usage | null): Promise<void> | undefined;
  /** Asked between parts, and within one that is computed here; what was made until then is kept before it is told to stop. */
  pause?: { isWanted(): Promise<boolean>; stop(): never };
}

/**
 * Makes the vectors of a revision's pieces that are not there yet, and keeps each part as it comes.
 *
 * @returns their dimensions
 * @throws what `embed` throws; the signal's reason; {ChorusError} not_found when the pieces are gone, store_unavailable
 */
export async function embedRevision(task: EmbedRevision): Promise<number> {
  const { files, model, pieceCount, embed, signal, onKept, pause } = task;
  const known = await files.vectorParts(model);
  let { dimensions } = known;
  const running = new Set<Promise<void>>();
  const failed = new AbortController();
  const either = AbortSignal.any([signal, failed.signal]);

  const check = (given: number) => {
    if (dimensions !== null && dimensions !== given)
      throw new Error(`${model} gave vectors of ${given} dimensions beside some of ${dimensions}`);
    dimensions = given;
  };
  const make = async (start: number, texts: string[]) => {
    const { vectors, usage, dimensions: given } = await embed(texts, either);
    check(given);
    await files.putVectors(model, start, vectors);
    await onKept?.(texts.length, usage);
  };
  /** In steps, since a part may take a minute here: what was made of it is kept when the place is wanted. */
  let steps = 0;
  const makeInSteps = async (start: number, texts: string[]) => {
    const vectors = await files.partialVectors(model, start);
    const hadPartial = vectors.length > 0;
    if (hadPartial) check(vectors[0]?.length ?? 0);
    let used: Usage | null = null;
    while (vectors.length < texts.length) {
      if (steps > 0 && (await pause?.isWanted())) {
        await files.putPartialVectors(model, start, vectors);
        if (used !== null) await onKept?.(0, used);
        pause?.stop();
      }
      const made = await embed(texts.slice(vectors.length, vectors.length + STEP), either);
      check(made.dimensions);
      vectors.push(...made.vectors);
      used = used === null ? made.usage : sumUsage(used, made.usage);
      steps += 1;
    }
    await files.putVectors(model, start, vectors);
    if (hadPartial) await files.dropPartialVectors(model);
    await onKept?.(texts.length, used);
  };
  const begin = (start: number, texts: string[]) => {
    const making = make(start, texts).finally(() => running.delete(making));
    running.add(making);
    making.catch((error) => failed.abort(error));
  };

  try {
    let texts: string[] = [];
    let start = 0;
    let made = 0;
    for await (const one of files.pieces()) {
      either.throwIfAborted();
      texts.push(textToEmbed(one));
      if (texts.length < PIECES_OF_A_PART && start + texts.length < pieceCount) continue;
      if (known.starts.has(start)) await onKept?.(texts.length, null);
      else if (isEmbedded(model)) await makeInSteps(start, texts);
      else {
        if (made > 0 && (await pause?.isWanted())) {
          await Promise.all(running);
          pause?.stop();
        }
        // The first tells the dimensions that all others must have.
        if (dimensions === null) await make(start, texts);
        else begin(start, texts);
        made += 1;
        if (running.size >= AT_ONCE) await Promise.race(running);
      }
      start += texts.length;
      texts = [];
    }
    await Promise.all(running);
  } catch (error) {
    failed.abort(error);
    await Promise.allSettled(running);
    throw signal.aborted ? signal.reason : failed.signal.reason;
  }
  if (dimensions === null) throw new Error('a revision without pieces can not be embedded');
  return dimensions;
}
