import { Readable } from 'node:stream';
import { Leadership, NotLeading } from '@chorus/batches';
import { ChorusError, countUnsuccessful, publicBatchId } from '@chorus/contract';
import { type FileBatchRecord, RESULT_FILES } from '@chorus/database';
import { repeatedly } from '@chorus/runtime/timing';
import type { Services } from '../../services.ts';
import { errorLines, type OutputParts, outputLines } from './output-lines.ts';

const LOOK_EVERY_MS = 1_000;
const LOOK_AT_REST_MS = 4_000;

/** How long to poll faster after results were written, since more may be due. */
const BUSY_MS = 60_000;

/** Batches whose files are written at once. */
const CONCURRENCY = 4;

/** Pause of a batch after a failure. */
const RETRY_MS = 5_000;
const FULL_RETRY_MS = 60_000;

type Parts = Pick<Services, 'database' | 'assets' | 'redis' | 'log'>;

/**
 * Writes the results of ended batches to files. One process holds the lease; after a crash, another one starts the
 * file over. A file appears completely, and once: its place in the batch is unique.
 *
 * @returns stops it, after the running round
 */
export function writeBatchOutputs(services: Parts): () => Promise<void> {
  const { database, redis, log } = services;
  const lease = new Leadership(redis, 'batch-files');
  const paused = new Map<string, number>();
  let stopping = false;
  let busyUntil = 0;
  const checkpoint = async () => {
    if (stopping || !(await lease.acquire())) throw new NotLeading();
  };
  const finish = async (batch: FileBatchRecord) => {
    try {
      await write({ services, checkpoint }, batch);
      log.info({ batch_id: batch.id }, 'results of a batch written');
    } catch (error) {
      if (error instanceof NotLeading) return;
      const isFull = error instanceof ChorusError && error.code === 'storage_full';
      paused.set(batch.id, performance.now() + (isFull ? FULL_RETRY_MS : RETRY_MS));
      log.warn({ err: error, batch_id: batch.id }, 'results of a batch not written; trying again later');
      if (!isFull) return;
      const problem = { code: error.code, message: error.message, line: null, param: null };
      await database.fileBatches.saveProblem(batch.id, problem).catch(() => undefined);
    }
  };
  const stop = repeatedly(LOOK_EVERY_MS, async () => {
    try {
      if (!(await lease.acquire())) return undefined;
      const due = await database.fileBatches.listDue(CONCURRENCY + paused.size);
      const now = performance.now();
      if (due.length > 0) busyUntil = now + BUSY_MS;
      for (const [id, until] of paused) if (until <= now) paused.delete(id);
      const ready = due.filter(({ id }) => !paused.has(id)).slice(0, CONCURRENCY);
      await Promise.all(ready.map(finish));
      if (ready.length === CONCURRENCY) return 0;
      return now < busyUntil ? LOOK_EVERY_MS : LOOK_AT_REST_MS;
    } catch (err) {
      log.debug({ err }, 'looking for results of batches failed');
      return undefined;
    }
  });
  return async () => {
    stopping = true;
    await stop();
    await lease.release().catch(() => undefined);
  };
}

async function write(parts: OutputParts, batch: FileBatchRecord): Promise<void> {
  const { database, assets } = parts.services;
  const { id, owner, counts, files } = batch;
  const create = async (outputIndex: number, name: string, lines: AsyncGenerator<Buffer>) => {
    const expires_at = files.keep_s === null ? null : new Date(Date.now() + files.keep_s * 1_000);
    const made = await assets.create({
      owner,
      batchId: id,
      outputIndex,
      filename: `${publicBatchId(id)}_${name}.jsonl`,
      file: { purpose: 'batch_output', expires_at },
      body: Readable.from(lines, { objectMode: false }),
    });
    return made.id;
  };
  const hasErrors = countUnsuccessful(counts) > 0;
  const output = counts.succeeded > 0 ? await create(RESULT_FILES.output, 'output', outputLines(parts, batch)) : null;
  const errors = hasErrors ? await create(RESULT_FILES.errors, 'error', errorLines(parts, batch)) : null;
  if (await database.fileBatches.saveFiles(id, { output, errors })) return;
  // Another process has saved them, or the batch has been deleted.
  if ((await database.fileBatches.get(owner, id)) !== null) return;
  for (const made of [output, errors]) if (made !== null) await assets.remove(owner, made);
}
