import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join, parse, relative, resolve } from 'node:path';
import { type Batch, type BatchResult, type BatchRun, ChorusError } from '@chorus/client';
import { UsageError } from '../command.ts';
import { readBatch } from './batch-items.ts';
import { lockBatch } from './batch-lock.ts';
import {
  type BatchState,
  forgetState,
  hashOf,
  ResultsFile,
  readState,
  resultsFile,
  writeState,
} from './batch-state.ts';
import { type CommandContext, defineCommand, textOption } from './define-command.ts';
import { describeProviderWait } from './describe-provider-wait.ts';
import { EXIT } from './exit-codes.ts';
import { assertNew, extensionOf, saveAsset } from './files.ts';

export const batch = defineCommand({
  usage: '<file.csv or .ndjson> [-o <folder>]',
  summary: 'Runs up to 10,000 requests from a file.',
  details: [
    'CSV columns are fields of the requests: prompt, size, seed, …; for chats, message. Optional columns: id, and kind if rows differ. NDJSON lines are as in the API.',
    'Results are appended to <file>.results.ndjson as they arrive. Ctrl-C stops only this command: the batch continues, and the same command resumes it, even after a crash.',
    '',
    '--kind <kind>        kind of rows that name none, see `chorus kinds`; default: the first that takes a prompt',
    '-o, --output <folder> saves the generated files, named after the requests',
    '--resume <id>        resumes a batch by its id',
    '--cancel             cancels the batch from this file',
    '--expires <time>     when requests that have not started expire, such as 2026-01-31T18:00:00Z; default: in 24 hours',
    '--economy            runs chats, responses, and embeddings for half the price, within 24 hours, where the provider can',
    '--economy-fallback   runs those that the provider does not answer in that way for the full price',
    '--new                starts a new batch even if one from this file is running',
    '--force              overwrites results and files of an earlier batch',
  ].join('\n'),
  options: {
    kind: { type: 'string' },
    output: { type: 'string', short: 'o' },
    resume: { type: 'string' },
    cancel: { type: 'boolean' },
    expires: { type: 'string' },
    economy: { type: 'boolean' },
    'economy-fallback': { type: 'boolean' },
    new: { type: 'boolean' },
    force: { type: 'boolean' },
  },
  async run(context) {
    const [name, ...more] = context.args;
    if (name === undefined || more.length > 0) throw new UsageError('Specify one file.');
    const file = resolve(context.from, name);
    const content = await readFile(file, 'utf8').catch(() => {
      throw new UsageError(`${name} can't be read.`);
    });
    if (context.options.cancel) return cancel(context, file, await stateOf(context, file, content));
    return lockBatch(file, async () => {
      const state = await stateOf(context, file, content);
      return follow(context, file, await begin(context, file, content, state));
    });
  },
});

async function stateOf({ chorus, options }: CommandContext, file: string, content: string): Promise<BatchState | null> {
  const sha256 = hashOf(content);
  const known = { url: chorus.baseUrl, sha256, key: '' };
  const id = textOption(options, 'resume');
  if (id !== undefined) return { ...known, batch_id: id };
  const state = options.new ? null : await readState(file);
  if (state !== null && (state.sha256 !== sha256 || state.url !== chorus.baseUrl) && !options.cancel)
    throw new UsageError(
      'This file may already have a running batch, but its content or the platform has changed: use --new to start a new batch, or --cancel to cancel the running one.',
    );
  return state;
}

/** A batch, followed from the end of its results file. */
interface FollowedBatch {
  run: BatchRun;
  results: ResultsFile;
}

async function begin(
  context: CommandContext,
  file: string,
  content: string,
  known: BatchState | null,
): Promise<FollowedBatch> {
  const { chorus, output, interrupts, options } = context;
  if (known === null) await assertNew(resultsFile(file), options.force === true);
  // Stored before the request, so that a restarted command finds the batch by its key.
  const state = known ?? { url: chorus.baseUrl, sha256: hashOf(content), key: randomUUID(), batch_id: null };
  const underWay = state.key === '' ? await readState(file).catch(() => null) : state;
  await writeState(file, state);
  const bar = output.progressBar();
  const watch = {
    signal: interrupts.signal,
    onProgress: (now: Batch) => bar.show(now.progress.completed, now.progress.total, says(now)),
  };
  if (state.batch_id !== null) {
    output.note(`Resuming ${state.batch_id}.`);
    // Results of another batch do not count.
    const results = await ResultsFile.open(file, underWay?.batch_id === state.batch_id);
    return { run: chorus.batches.resume(state.batch_id, { ...watch, after: results.cursor }), results };
  }
  const { id, items } = await send(context, file, content, state.key).catch(async (error) => {
    // A refused batch was not created. After a lost response it may exist, and the key finds it.
    const isRefused = error instanceof ChorusError && error.status >= 400 && error.status < 500;
    if (isRefused || error instanceof UsageError) await forgetState(file);
    throw error;
  });
  const results = await ResultsFile.open(file, false);
  await writeState(file, { ...state, batch_id: id });
  output.note(`${id}: ${items} requests.`);
  return { run: chorus.batches.resume(id, watch), results };
}

async function send(
  context: CommandContext,
  file: string,
  content: string,
  idempotencyKey: string,
): Promise<{ id: string; items: number }> {
  const { chorus, options, interrupts, output } = context;
  const { signal } = interrupts;
  const { data: kinds } = await chorus.kinds.list({ signal });
  const expires_at = textOption(options, 'expires');
  const read = readBatch(file, content, kinds, textOption(options, 'kind'));
  const request = {
    ...read,
    ...(expires_at !== undefined && { expires_at }),
    ...(options.economy === true && { economy: true }),
    ...(options['economy-fallback'] === true && { economy_fallback: true }),
  };
  await assertFilesAreNew(context, request.items);
  const { id, economy } = await chorus.batches.create(request, { signal, idempotencyKey });
  if (economy && economy.other_models.length > 0)
    output.note(`For the full price, since the provider has no batch endpoint: ${economy.other_models.join(', ')}`);
  return { id, items: request.items.length };
}

function says({ counts, progress: { completed, total, per_second, waiting_for } }: Batch): string {
  const parts = [`${completed} of ${total}`];
  if (counts.failed > 0) parts.push(`${counts.failed} failed`);
  if (counts.expired > 0) parts.push(`${counts.expired} expired`);
  if (per_second !== null) parts.push(`${per_second}/s`);
  const [wait] = waiting_for;
  if (wait) parts.push(`${wait.items} ${describeProviderWait(wait)}`);
  return parts.join(', ');
}

async function follow(context: CommandContext, file: string, { run, results }: FollowedBatch): Promise<number> {
  const { output, interrupts, from } = context;
  try {
    for await (const result of run) {
      await saveResult(context, result);
      await results.append(result);
      output.record(result);
      if (result.status === 'failed') output.note(`${result.item_id}: ${result.error?.message ?? 'failed'}`);
    }
  } catch (error) {
    if (interrupts.signal.aborted)
      output.note(`\n${run.id} continues. Run the same command to resume, or --cancel to cancel it.`);
    throw error;
  }
  const { counts } = await context.chorus.batches.get(run.id);
  await forgetState(file);
  const expired = counts.expired > 0 ? `, ${counts.expired} expired before they started` : '';
  output.line(`${counts.succeeded} of ${counts.total} succeeded${expired}. Results: ${relative(from, results.path)}`);
  return counts.succeeded === counts.total ? EXIT.done : EXIT.failed;
}

/** Ids may contain slashes, which must not lead to another folder. */
const fileNameOf = (id: string): string => id.replace(/[^\w.-]/g, '_').replace(/^\.+/, '_');

/** @throws {UsageError} if the output folder has a file that is named after one of the requests */
async function assertFilesAreNew(
  { options, from }: CommandContext,
  items: readonly { id?: string | undefined }[],
): Promise<void> {
  const folder = textOption(options, 'output');
  if (folder === undefined || options.force === true) return;
  const names = new Set(items.flatMap(({ id }) => (id === undefined ? [] : fileNameOf(id))));
  const there = await readdir(resolve(from, folder)).catch(() => []);
  const found = there.find((file) => names.has(parse(file).name.replace(/-\d+$/, '')) || names.has(parse(file).name));
  if (found !== undefined) throw new UsageError(`${join(folder, found)} exists. Use --force to overwrite it.`);
}

/** Saves an item's files before its result is recorded, so that a crash loses nothing. */
async function saveResult(
  { chorus, options, from, interrupts }: CommandContext,
  { item_id, execution }: BatchResult,
): Promise<void> {
  const folder = textOption(options, 'output');
  if (folder === undefined || execution === null) return;
  const assets = execution.output.flatMap((item) => (item.type === 'asset' ? item.asset : []));
  for (const [index, asset] of assets.entries()) {
    const name = `${fileNameOf(item_id)}${assets.length > 1 ? `-${index + 1}` : ''}${extensionOf(asset)}`;
    // An existing file was saved by this batch, before a crash.
    await saveAsset(chorus, asset, resolve(from, join(folder, name)), { force: true, signal: interrupts.signal });
  }
}

async function cancel({ chorus, output }: CommandContext, file: string, state: BatchState | null): Promise<number> {
  if (state === null || state.batch_id === null) throw new UsageError('There is no running batch for this file.');
  const cancelled = await chorus.batches.cancel(state.batch_id);
  await forgetState(file);
  output.record(cancelled);
  output.line(`${state.batch_id}  ${cancelled.status}`);
  return EXIT.done;
}
