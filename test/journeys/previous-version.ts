import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../../scripts/setup/project.mjs';

const run = promisify(execFile);

const git = async (...args: string[]) => (await run('git', args, { cwd: root })).stdout.trim();

/**
 * Returns the commit of the previous release: CHORUS_UPGRADE_FROM, else the last tag before this version, else the
 * commit before this one. Null without git history, as in a shallow clone.
 */
export async function previousVersion(): Promise<string | null> {
  const candidates = [
    () => git('rev-parse', '--verify', '--quiet', `${process.env.CHORUS_UPGRADE_FROM || 'none'}^{commit}`),
    async () => git('rev-list', '-n', '1', await git('describe', '--tags', '--abbrev=0', '--match', 'v*', 'HEAD^')),
    () => git('rev-parse', '--verify', '--quiet', 'HEAD^^{commit}'),
  ];
  for (const candidate of candidates) {
    const commit = await candidate().catch(() => '');
    if (commit !== '') return commit;
  }
  return null;
}

/** Checks out a commit with its packages into a temporary folder. */
export async function checkOut(commit: string): Promise<{ folder: string; remove(): void }> {
  const folder = mkdtempSync(join(tmpdir(), 'chorus-previous-'));
  const archive = join(folder, 'archive.tar');
  await git('archive', '--output', archive, commit);
  await run('tar', ['-xf', archive, '-C', folder]);
  rmSync(archive);
  const lockOf = (place: string) => readFileSync(join(place, 'package-lock.json'), 'utf8');
  if (lockOf(folder) === lockOf(root)) linkPackages(folder);
  else await run('npm', ['ci', '--omit=dev', '--ignore-scripts', '--loglevel=error'], { cwd: folder });
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Links this repository's third-party packages. Its own come from the folder. */
function linkPackages(folder: string): void {
  const places = ['apps', 'packages', 'workers'].flatMap((group) =>
    readdirSync(join(root, group)).map((name) => join(group, name, 'node_modules')),
  );
  for (const place of places)
    if (existsSync(join(root, place)) && existsSync(dirname(join(folder, place))))
      symlinkSync(join(root, place), join(folder, place));
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, '@chorus'), { recursive: true });
  for (const name of readdirSync(join(root, 'node_modules')).filter((one) => one !== '@chorus' && !one.startsWith('.')))
    symlinkSync(join(root, 'node_modules', name), join(modules, name));
  for (const name of readdirSync(join(root, 'node_modules/@chorus')))
    symlinkSync(readlinkSync(join(root, 'node_modules/@chorus', name)), join(modules, '@chorus', name));
}
