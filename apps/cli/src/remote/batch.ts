import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { type Batch, type BatchResult, type BatchRun, ChorusError } from '@chorus/client';
import { UsageError } from '../command.ts';
import { BATCH_KINDS, readBatch } from './batch-items.ts';
import { lockBatch } from './batch-lock.ts';
import { type BatchState, forgetState, hashOf, ResultsFile, readState, writeState } from './batch-state.ts';
import { EXIT } from './exit-codes.ts';
import { extensionOf, saveAsset } from './files.ts';
import { type RemoteContext, remoteCommand, textOption } from './remote-command.ts';

export const batch = remoteCommand({
  usage: '<file.csv or .ndjson> [-o <folder>]',
  says: 'Runs the requests of a file, up to 10,000.',
  details: [
    'The columns of a CSV are the fields of the requests: prompt, size, seed, …; for chats message. Besides these id, and kind where they differ. Lines of NDJSON are as the API takes them.',
    'Each result goes into <file>.results.ndjson as it comes. Ctrl-C ends the following alone: the batch runs on, and the same command goes on with it, also after a crash.',
    '',
    `--kind <kind>        ${BATCH_KINDS.join(', ')}; default iris.image`,
    '-o, --output <folder> saves what is made there, named after the requests',
    '--resume <id>        goes on with a batch that is known by its id alone',
    '--cancel             cancels the batch of this file',
    '--new                begins anew, although one of this file runs',
  ].join('\n'),
  options: {
    kind: { type: 'string' },
    output: { type: 'string', short: 'o' },
    resume: { type: 'string' },
    cancel: { type: 'boolean' },
    new: { type: 'boolean' },
  },
  async run(context) {
    const [name, ...more] = context.args;
    if (name === undefined || more.length > 0) throw new UsageError('Name one file.');
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

/** What is known of this file's batch; null: none is under way. */
async function stateOf({ chorus, options }: RemoteContext, file: string, content: string): Promise<BatchState | null> {
  const sha256 = hashOf(content);
  const known = { url: chorus.baseUrl, sha256, key: '' };
  const id = textOption(options, 'resume');
  if (id !== undefined) return { ...known, batch_id: id };
  const state = options.new ? null : await readState(file);
  if (state !== null && (state.sha256 !== sha256 || state.url !== chorus.baseUrl) && !options.cancel)
    throw new UsageError(
      'A batch of this file is, or may be, under way, and the file or the platform is another one now: --new begins anew, --cancel cancels that one.',
    );
  return state;
}

/** A batch that is followed from where its results end. */
interface Begun {
  run: BatchRun;
  results: ResultsFile;
}

async function begin(context: RemoteContext, file: string, content: string, known: BatchState | null): Promise<Begun> {
  const { chorus, options, output, interrupts } = context;
  const kind = BATCH_KINDS.find((one) => one === textOption(options, 'kind'));
  if (options.kind !== undefined && kind === undefined)
    throw new UsageError(`--kind must be one of ${BATCH_KINDS.join(', ')}.`);
  const request = readBatch(file, content, kind);
  // Noted before it is sent: whoever is killed in between finds the batch by this key.
  const state = known ?? { url: chorus.baseUrl, sha256: hashOf(content), key: randomUUID(), batch_id: null };
  const underWay = state.key === '' ? await readState(file).catch(() => null) : state;
  await writeState(file, state);
  const bar = output.progressBar();
  const watch = {
    signal: interrupts.signal,
    onProgress: (now: Batch) => bar.show(now.progress.completed, now.progress.total, says(now)),
  };
  if (state.batch_id !== null) {
    output.note(`Going on with ${state.batch_id}.`);
    // What is there of another batch says nothing of how far this one is.
    const results = await ResultsFile.open(file, underWay?.batch_id === state.batch_id);
    return { run: chorus.batches.resume(state.batch_id, { ...watch, after: results.cursor }), results };
  }
  const { items, ...head } = request;
  const { id } = await chorus.batches
    .create({ ...head, items }, { signal: interrupts.signal, idempotencyKey: state.key })
    .catch(async (error) => {
      // What was refused has not begun. Where the answer was lost it may have: the same command finds it, and begins nothing twice.
      if (error instanceof ChorusError && error.status >= 400 && error.status < 500) await forgetState(file);
      throw error;
    });
  const results = await ResultsFile.open(file, false);
  await writeState(file, { ...state, batch_id: id });
  output.note(`${id}: ${items.length} requests.`);
  return { run: chorus.batches.resume(id, watch), results };
}

const says = ({ counts }: Batch): string =>
  `${counts.succeeded + counts.failed + counts.skipped + counts.cancelled} of ${counts.total}${counts.failed > 0 ? `, ${counts.failed} failed` : ''}`;

async function follow(context: RemoteContext, file: string, { run, results }: Begun): Promise<number> {
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
      output.note(`\n${run.id} runs on. The same command goes on with it; --cancel cancels it.`);
    throw error;
  }
  const { counts } = await context.chorus.batches.get(run.id);
  await forgetState(file);
  output.line(`${counts.succeeded} of ${counts.total} succeeded. Results: ${relative(from, results.path)}`);
  return counts.succeeded === counts.total ? EXIT.done : EXIT.failed;
}

/** Saves what an item made, if that is wanted: before its result is noted, so that nothing is missing when the command was killed. */
async function saveResult(
  { chorus, options, from, interrupts }: RemoteContext,
  { item_id, execution }: BatchResult,
): Promise<void> {
  const folder = textOption(options, 'output');
  if (folder === undefined || execution === null) return;
  const assets = execution.output.flatMap((item) => (item.type === 'asset' ? item.asset : []));
  for (const [index, asset] of assets.entries()) {
    // Ids may hold a slash, but lead nowhere else.
    const name = `${item_id.replace(/[^\w.-]/g, '_').replace(/^\.+/, '_')}${assets.length > 1 ? `-${index + 1}` : ''}`;
    await saveAsset(chorus, asset, resolve(from, join(folder, name + extensionOf(asset))), interrupts.signal);
  }
}

async function cancel({ chorus, output }: RemoteContext, file: string, state: BatchState | null): Promise<number> {
  if (state === null || state.batch_id === null)
    throw new UsageError('No batch of this file is known to be under way.');
  const cancelled = await chorus.batches.cancel(state.batch_id);
  await forgetState(file);
  output.record(cancelled);
  output.line(`${state.batch_id}  ${cancelled.status}`);
  return EXIT.done;
}
