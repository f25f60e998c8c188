import type { Usage } from '@chorus/contract';
import { sumUsage } from '@chorus/providers/usage';
import { textToEmbed } from './piece.ts';
import { PIECES_PER_PART, type RevisionFiles } from './revision-files.ts';

/** Number of parts to embed concurrently, since providers have high latency. Rate limits apply elsewhere. */
const AT_ONCE = 3;

/** Texts per call of the embedded encoder, so that other work runs in between. */
const STEP = 4;

/** The embedded encoder works sequentially, so concurrent parts would only delay each other. */
const isEmbedded = (model: string) => model.startsWith('embedded/');

export type EmbedTexts = (
  texts: string[],
  signal: AbortSignal,
) => Promise<{ vectors: Float32Array[]; dimensions: number; usage: Usage }>;

export interface EmbedRevision {
  files: RevisionFiles;
  model: string;
  pieceCount: number;
  embed: EmbedTexts;
  signal: AbortSignal;
  /** Called after each stored part with its usage. Parts that already existed have none. */
  onKept?(pieces: number, usage: Usage | null): Promise<void> | undefined;
  /** Checked between parts, and within parts of the embedded encoder. Results so far are stored before `stop`. */
  pause?: { isWanted(): Promise<boolean>; stop(): never };
}

/**
 * Embeds the missing pieces of a revision and stores each part as it completes.
 *
 * @returns the dimensions of the vectors
 * @throws errors of `embed`; the signal's reason; {ChorusError} not_found if the pieces are gone,
 * store_unavailable
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
      throw new Error(`${model} returned vectors of ${given} dimensions as well as ${dimensions}`);
    dimensions = given;
  };
  const make = async (start: number, texts: string[]) => {
    const { vectors, usage, dimensions: given } = await embed(texts, either);
    check(given);
    await files.putVectors(model, start, vectors);
    await onKept?.(texts.length, usage);
  };
  /** Embeds in steps, because a part may take a minute here: its results are stored when another job needs the slot. */
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
      if (texts.length < PIECES_PER_PART && start + texts.length < pieceCount) continue;
      if (known.starts.has(start)) await onKept?.(texts.length, null);
      else if (isEmbedded(model)) await makeInSteps(start, texts);
      else {
        if (made > 0 && (await pause?.isWanted())) {
          await Promise.all(running);
          pause?.stop();
        }
        // The first part sets the dimensions for all others.
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
  if (dimensions === null) throw new Error('cannot embed a revision without pieces');
  return dimensions;
}
