import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { OcrResult } from '@chorus/client';
import { UsageError } from '../command.ts';
import { type CommandContext, defineCommand, listOption, textOption } from './define-command.ts';
import { describeProviderWait } from './describe-provider-wait.ts';
import { assertNew, openFile } from './files.ts';
import { exitCodeOfEnd, runExecution } from './run-execution.ts';

export const ocr = defineCommand({
  usage: '<file, URL, or asset>',
  summary: 'Extracts the text of images and PDFs.',
  details: [
    '--pages <list>       such as 1-3,7',
    '--language <code>    such as eng; repeatable, most likely first',
    '--markdown           keeps headings and tables where detected',
    '--model <name>       uses a vision model instead of the built-in engine',
    '-o, --output <file>  writes the text to a file; --force overwrites one',
  ].join('\n'),
  options: {
    pages: { type: 'string' },
    language: { type: 'string', multiple: true },
    markdown: { type: 'boolean' },
    model: { type: 'string' },
    output: { type: 'string', short: 'o' },
    force: { type: 'boolean' },
  },
  async run(context) {
    const { args, options, output, chorus, from } = context;
    const [source, ...more] = args;
    if (source === undefined || more.length > 0) throw new UsageError('Specify one file, URL, or asset.');
    const file = textOption(options, 'output');
    if (file !== undefined) await assertNew(resolve(from, file), options.force === true);
    const bar = output.progressBar();
    const request = {
      ...(await sourceOf(from, source)),
      pages: textOption(options, 'pages'),
      languages: listOption(options, 'language'),
      model: textOption(options, 'model'),
    };
    const execution = await runExecution(
      context,
      chorus.iris.ocr.stream(request),
      (_frame, { progress, status, waitingFor }) =>
        bar.show(
          progress?.completed ?? 0,
          progress?.total ?? 1,
          waitingFor ? describeProviderWait(waitingFor) : (progress?.stage ?? status),
        ),
    ).finally(() => bar.clear());
    const read = execution.output.find((item) => item.type === 'ocr');
    if (read !== undefined) {
      const pages = await allPages(context, read);
      const text = pages.map(({ markdown, text }) => (options.markdown ? markdown : text)).join('\n\n');
      if (text.trim() === '') output.note('No text was found.');
      if (file === undefined) output.line(text);
      else await writeFile(resolve(from, file), `${text}\n`);
    }
    return exitCodeOfEnd(context, execution);
  },
});

/** Returns all pages, from a file if they are too large for the response. */
async function allPages(
  { chorus, interrupts: { signal } }: CommandContext,
  { pages, asset }: OcrResult,
): Promise<OcrResult['pages']> {
  if (asset === null) return pages;
  const { pages: all } = (await (await chorus.assets.content(asset.id, { signal })).json()) as Pick<OcrResult, 'pages'>;
  return all;
}

async function sourceOf(
  from: string,
  source: string,
): Promise<{ file: File } | { url: string } | { asset_id: string }> {
  if (/^https?:\/\//.test(source)) return { url: source };
  return /^ast_\w+$/.test(source) ? { asset_id: source } : { file: await openFile(from, source) };
}
