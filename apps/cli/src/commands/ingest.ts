import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { relative } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ChorusError, type KnowledgeEntry } from '@chorus/client';
import { UsageError } from '../command.ts';
import { isSystemError } from '../system-error.ts';
import { type CommandContext, defineCommand, listOption } from './define-command.ts';
import { EXIT } from './exit-codes.ts';
import { openFile } from './files.ts';
import { findDocuments } from './find-documents.ts';

const CONCURRENCY = 4;

export const ingest = defineCommand({
  usage: '<folder or file>…',
  summary: 'Makes files searchable.',
  details: [
    'Searches folders recursively, but skips links and hidden files. Files that the platform already has are not sent again: run the same command to continue',
    'after Ctrl-C, or to add new files later.',
    '',
    '--tag <tag>          tags all files; repeatable',
    '--language <code>    language of scanned pages, such as eng; repeatable',
    '--no-wait            returns without waiting for processing',
  ].join('\n'),
  options: {
    tag: { type: 'string', multiple: true },
    language: { type: 'string', multiple: true },
    'no-wait': { type: 'boolean' },
  },
  async run(context) {
    const { args, from, chorus, output, interrupts } = context;
    if (args.length === 0) throw new UsageError('Specify a folder or a file.');
    const files = await findDocuments(from, args);
    const known = new Map<string, KnowledgeEntry>();
    for await (const entry of chorus.knowledge.all({}, { signal: interrupts.signal }))
      if (entry.sha256 !== null && entry.status !== 'failed') known.set(entry.sha256, entry);

    const counts = { added: 0, present: 0, failed: 0 };
    const bar = output.progressBar();
    const waiting = files.toReversed();
    const takeNext = async () => {
      for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
        interrupts.signal.throwIfAborted();
        const name = relative(from, file) || file;
        const outcome = await ingestFile(context, file, known);
        counts[outcome.status]++;
        bar.clear();
        output.record({ file, ...outcome });
        output.line(`${outcome.status.padEnd(8)} ${name}${outcome.error === null ? '' : `: ${outcome.error.message}`}`);
        bar.show(counts.added + counts.present + counts.failed, files.length, name);
      }
    };
    try {
      await Promise.all(Array.from({ length: CONCURRENCY }, takeNext));
    } catch (error) {
      if (interrupts.signal.aborted)
        output.note('\nFiles already sent are still processed. Run the same command to continue.');
      throw error;
    } finally {
      bar.clear();
    }
    output.line(`${counts.added} added, ${counts.present} already present, ${counts.failed} failed.`);
    return counts.failed === 0 ? EXIT.done : EXIT.failed;
  },
});

interface Outcome {
  status: 'added' | 'present' | 'failed';
  entry_id: string | null;
  error: { code: string; message: string } | null;
}

async function ingestFile(context: CommandContext, file: string, known: Map<string, KnowledgeEntry>): Promise<Outcome> {
  const { chorus, options, interrupts } = context;
  const { signal } = interrupts;
  const fields = { tags: listOption(options, 'tag'), languages: listOption(options, 'language') };
  try {
    const present = known.get(await hashFile(file));
    if (present !== undefined) return { status: 'present', entry_id: present.id, error: null };
    const { data } = await chorus.knowledge.upload(await openFile('/', file), fields, { signal });
    const [entry] = data;
    if (entry === undefined) throw new ChorusError('unexpected_answer', 'The response has no entry.', { status: 200 });
    if (options['no-wait'] === true || entry.execution_id === null) return outcomeOf(entry, entry.duplicate);
    await chorus.jobs.wait(entry.execution_id, { signal });
    return outcomeOf(await chorus.knowledge.get(entry.id, { signal }), entry.duplicate);
  } catch (error) {
    // A refused file does not stop the others; an unreachable platform or an expired login does.
    const isRefused = error instanceof ChorusError && [400, 413, 415, 422].includes(error.status);
    if (!isRefused && !isSystemError(error)) throw error;
    return { status: 'failed', entry_id: null, error: { code: error.code, message: error.message } };
  }
}

function outcomeOf({ id, status, error }: KnowledgeEntry, duplicate: boolean): Outcome {
  if (status === 'failed') return { status: 'failed', entry_id: id, error };
  return { status: duplicate ? 'present' : 'added', entry_id: id, error: null };
}

async function hashFile(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
