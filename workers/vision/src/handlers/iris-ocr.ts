import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, parse } from 'node:path';
import { type AssetStore, assetFactsOf } from '@chorus/assets';
import { type AssetFacts, ChorusError, type IrisOcrInput, type JobOutput, KINDS, type OcrPage } from '@chorus/contract';
import {
  describeDoubts,
  describeFailures,
  type FailedPage,
  isDoubtful,
  type Ocr,
  type OpenedFile,
  type ReadOptions,
} from '@chorus/ocr';
import { LaneWait, type Providers } from '@chorus/providers';
import { NO_USAGE, sumUsage } from '@chorus/providers/usage';
import { type Handler, type JobContext, type JobResult, persist } from '@chorus/worker-kit';
import { type KeepAfter, KeptPages } from '../ocr/kept-pages.ts';
import { OcrResult, ROOM, type Room } from '../ocr/ocr-result.ts';
import { transcribeBy } from '../ocr/transcribe-page.ts';
import { type SourceFile, type SourceParts, withSourceFile } from '../source-file.ts';

export interface OcrParts extends SourceParts {
  assets: SourceParts['assets'] & Pick<AssetStore, 'create' | 'stage' | 'read' | 'discard'>;
  ocr: Pick<Ocr, 'read' | 'engine'>;
  providers: Pick<Providers, 'streamChat'>;
  room?: Room;
  keepAfter?: KeepAfter;
}

/** Name of the embedded engine among the models. */
export const OCR_MODEL = 'embedded/ocr';

/** Half the usual time before the slot is yielded, because the next attempt shows all pages again. */
const OCR_SLICE_MS = 4_000;

/** Index of the OCR item in the output; the text comes first. */
const ITEM_INDEX = 1;

/** Reads the text of an image or of a document's pages, and shows each page when it is read. */
export const irisOcr = (parts: OcrParts): Handler<'iris.ocr'> => ({
  async run(job) {
    const { input, owner, signal, emit, note } = job;
    note(readerOf(input));
    await emit({ type: 'progress', progress: { completed: 0, total: 1, stage: 'fetching' } });
    return withSourceFile(parts, owner, input.source, signal, async (file) => {
      const { assets, keepAfter } = parts;
      const kept = new KeptPages({ assets, owner, checkpoint: job.checkpoint, keepAfter });
      const folder = await mkdtemp(join(tmpdir(), 'chorus-ocr-'));
      try {
        const result = await readPages(parts, job, file, kept, join(folder, 'pages.json'));
        await kept.discard();
        return result;
      } catch (error) {
        // A stopped attempt may be resumed; a failed one is not.
        if (!signal.aborted) await kept.discard();
        throw error;
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    });
  },
});

async function readPages(
  parts: OcrParts,
  job: JobContext<'iris.ocr'>,
  file: SourceFile,
  kept: KeptPages,
  path: string,
): Promise<JobResult<JobOutput<'iris.ocr'>>> {
  const { input, caller, signal, emit, note } = job;
  const beganAt = performance.now();
  const warnings: string[] = [];
  let usage = kept.usage;
  const transcribe =
    input.model === OCR_MODEL
      ? {}
      : {
          transcribe: transcribeBy(parts.providers, {
            model: input.model,
            caller,
            endsAt: performance.now() + KINDS['iris.ocr'].timeoutMs,
            onUsage(used) {
              usage = usage === null ? used : sumUsage(usage, used);
              note({ usage });
            },
            onWarning: (warning) => warnings.push(warning),
          }),
        };
  const result = new OcrResult(path, parts.room);
  const shown = new Set<number>();
  const failures: FailedPage[] = [];
  const halted = new AbortController();
  const doubtful: Pick<OcrPage, 'number' | 'confidence' | 'script'>[] = [];
  let after = 0;
  const show = async (page: OcrPage) => {
    const delta = await result.add(page);
    if (delta !== '') await emit({ type: 'text.delta', index: 0, delta });
    shown.add(page.number);
    const { number, confidence, script } = page;
    if (isDoubtful(page)) doubtful.push({ number, confidence, script });
    after = page.number;
  };
  try {
    for await (const page of kept.earlier()) await show(page);
    const setupMs = performance.now() - beganAt;
    let opened: OpenedFile = { pageCount: 0, pages: [], pagesLeft: null };
    const report = () => {
      const completed = opened.pages.filter((number) => number <= after).length;
      return emit({ type: 'progress', progress: { completed, total: opened.pages.length, stage: 'reading' } });
    };
    const options: ReadOptions = {
      languages: input.languages,
      pages: input.pages,
      after,
      signal: AbortSignal.any([signal, halted.signal]),
      onOpen(file) {
        opened = file;
        report();
      },
      onFailure(failed) {
        failures.push(failed);
        if (failed.error instanceof LaneWait) halted.abort(failed.error);
      },
      ...transcribe,
    };
    const pages = parts.ocr.read(file.path, file.mimeType, options);
    for await (const page of untilHalted(pages, halted.signal, () => kept.keep(usage))) {
      await show(page);
      await report();
      await kept.add(page, usage);
      const isLast = page.number === opened.pages.at(-1);
      if (isLast || !(await job.place.isWanted(OCR_SLICE_MS + setupMs))) continue;
      await kept.keep(usage);
      job.place.giveBack();
    }
    const [failed] = failures;
    if (shown.size === 0 && failed !== undefined) throw failed.error;
    const { pageCount: page_count, pagesLeft: pages_left } = opened;
    const facts = { page_count, pages_left, languages: input.languages };
    await result.end(facts);
    const asset = result.truncated ? await store(parts, job, file, path, warnings) : null;
    warnings.push(...lostPages(opened, shown, failures));
    if (doubtful.length > 0) warnings.push(...describeDoubts(doubtful, input.languages, await parts.ocr.engine()));
    if (result.textCut) warnings.push(`The text is truncated after ${(parts.room ?? ROOM).text} bytes.`);
    if (pages_left !== null) warnings.push(`Not all pages were read at once. Remaining pages: ${pages_left}.`);
    const output = result.output(facts, asset);
    return { output, usage: usage ?? NO_USAGE, ...readerOf(input), finish_reason: null, warnings };
  } finally {
    result.close();
  }
}

/** Stops reading while the provider takes no calls. The next attempt goes on after the pages that are kept. */
async function* untilHalted<T>(
  pages: AsyncIterable<T>,
  halted: AbortSignal,
  keep: () => Promise<void>,
): AsyncGenerator<T, void, undefined> {
  try {
    yield* pages;
  } catch (error) {
    if (!halted.aborted) throw error;
  }
  if (!halted.aborted) return;
  await keep();
  throw halted.reason;
}

/** An earlier attempt may have failed to read pages too. */
function lostPages({ pages }: OpenedFile, shown: ReadonlySet<number>, failures: readonly FailedPage[]): string[] {
  const lost = pages.filter((page) => !shown.has(page));
  const halves = failures.filter(({ hasTextLayer }) => hasTextLayer).map(({ page }) => page);
  return [
    ...(lost.length === 0 ? [] : [describeFailures(lost, failures)]),
    ...(halves.length === 0 ? [] : [`${describeFailures(halves, failures)} The text layer is used instead.`]),
  ];
}

/** Stores the full result as a file; null if it is too large. */
async function store(
  { assets }: OcrParts,
  { owner, executionId, signal }: JobContext<'iris.ocr'>,
  { filename }: SourceFile,
  path: string,
  warnings: string[],
): Promise<AssetFacts | null> {
  const name = `${parse(filename ?? 'pages').name}-ocr.json`;
  const asset = { owner, filename: name, executionId, outputIndex: ITEM_INDEX };
  try {
    const record = await persist(
      () => assets.create({ ...asset, body: createReadStream(path) }),
      () => !signal.aborted,
    );
    return assetFactsOf(record);
  } catch (error) {
    if (!(error instanceof ChorusError) || error.code !== 'payload_too_large') throw error;
    warnings.push('The full result is too large to be stored; request fewer pages at once.');
    return null;
  }
}

const readerOf = ({ model }: IrisOcrInput) => ({ model, provider: model.split('/', 1)[0] as string });
