import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { lockFolder, withInstallLock } from './install-lock.mjs';
import { privateFolder } from './private-packages.mjs';
import { neededNodeMajor, root, say } from './project.mjs';
import { runQuietly } from './run-quietly.mjs';
import { SetupError } from './setup-error.mjs';

const VERSION = '26.10.0';

/** npm packages with the Node binary, and their checksums. */
const PACKAGES = /** @type {Record<string, string>} */ ({
  'linux-x64': 'sha512-OmAztarr1gK4PD+sNyoku4N5Q40d8eqMuLjNa/zRvxF33aCsVKVIQLs4V5HYPWSWWlMiTdkmbZE/6Phigma0hw==',
  'linux-arm64': 'sha512-idArV/cmqW9M9ODyGlbOIiyxFourDh1mJB0SdKCdMbSZjjef9CLEN3o1/eE4yf+B0+5BD+F74MpTTHiB3XXTBQ==',
});

const program = () => join(privateFolder('node'), VERSION, 'bin/node');

/**
 * Returns a Node that runs the sources, for machines whose own is too old. Downloads it from npm into
 * `.data/tools/node` (60 MB, once).
 * @returns {Promise<string>} its path
 * @throws {SetupError} when there is none for this machine
 */
export async function findOrInstallNode() {
  if (!existsSync(program())) await withInstallLock(install, lockFolder('node'));
  return program();
}

/** Links the private Node to where npm scripts and `npx` look first. */
export function linkPrivateNode() {
  const place = join(root, 'node_modules/.bin/node');
  if (existsSync(place)) return;
  rmSync(place, { force: true });
  symlinkSync(program(), place);
}

async function install() {
  if (existsSync(program())) return;
  const target = `${process.platform}-${process.arch}`;
  const integrity = PACKAGES[target];
  const folder = join(privateFolder('node'), VERSION);
  const work = `${folder}.${process.pid}`;
  if (integrity === undefined) throw new SetupError(explain(`npm has no Node.js for ${target}`));
  say(`This Node.js is ${process.version}; fetching ${VERSION} from npm into .data/tools/node (once) …`);
  try {
    mkdirSync(work, { recursive: true });
    const spec = `node-${target}@${VERSION}`;
    const packed = await runQuietly('npm', ['pack', spec, '--silent', '--pack-destination', work], { cwd: root });
    const file = readdirSync(work).find((name) => name.endsWith('.tgz'));
    if (!packed.ok || file === undefined) throw new SetupError(explain(packed.output.trim()));
    const sum = createHash('sha512')
      .update(readFileSync(join(work, file)))
      .digest('base64');
    if (`sha512-${sum}` !== integrity) throw new SetupError(explain(`${spec} has an unexpected checksum`));
    const parts = ['package/bin/node', 'package/LICENSE'];
    const unpacked = await runQuietly('tar', ['-xzf', file, '--strip-components=1', ...parts], { cwd: work });
    const works = await runQuietly(join(work, 'bin/node'), ['--version'], { timeoutMs: 30_000 });
    if (!unpacked.ok || !works.ok) throw new SetupError(explain(unpacked.ok ? works.output : unpacked.output));
    rmSync(join(work, file));
    rmSync(folder, { recursive: true, force: true });
    renameSync(work, folder);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** @param {string} problem */
function explain(problem) {
  return [
    `Chorus needs Node.js ${neededNodeMajor} or newer to run; this is ${process.version}, and no newer one could be fetched:`,
    problem,
    'Install it from https://nodejs.org and run the command again.',
  ].join('\n');
}
