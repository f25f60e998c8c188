import { extname, join, relative, resolve } from 'node:path';
import type { Asset, Execution } from '@chorus/client';
import { type CommandContext, textOption } from './define-command.ts';
import { assertNew, extensionOf, saveAsset } from './files.ts';

/**
 * Saves an execution's files and prints their paths. `--output` names the file or folder; default: the current
 * folder.
 */
export async function saveAssets(
  { chorus, output, options, from, interrupts }: CommandContext,
  execution: Execution,
): Promise<void> {
  const assets = execution.output.flatMap((item) => (item.type === 'asset' ? item.asset : []));
  const wanted = textOption(options, 'output');
  for (const [index, asset] of assets.entries()) {
    const path = pathFor(wanted, { asset, index, of: assets.length, name: execution.id });
    const file = resolve(from, path);
    await saveAsset(chorus, asset, file, { force: options.force === true, signal: interrupts.signal });
    output.record({ type: 'file.saved', path: file, asset_id: asset.id });
    output.line(relative(from, file));
  }
}

/** Refuses an existing output file, before anything is generated for it. @throws {UsageError} */
export async function assertOutputIsNew({ options, from }: CommandContext): Promise<void> {
  const wanted = textOption(options, 'output');
  if (wanted !== undefined && extname(wanted) !== '') await assertNew(resolve(from, wanted), options.force === true);
}

function pathFor(
  wanted: string | undefined,
  { asset, index, of, name }: { asset: Asset; index: number; of: number; name: string },
): string {
  const number = of > 1 ? `-${index + 1}` : '';
  if (wanted === undefined || extname(wanted) === '')
    return join(wanted ?? '', `${name}${number}${extensionOf(asset)}`);
  return number === '' ? wanted : `${wanted.slice(0, -extname(wanted).length)}${number}${extname(wanted)}`;
}
