import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram } from './find-program.mjs';
import { withInstallLock } from './install-lock.mjs';
import { privateFolder, unpackPrivately } from './private-packages.mjs';
import { say } from './project.mjs';
import { runQuietly } from './run-quietly.mjs';
import { SetupError } from './setup-error.mjs';

const launcher = 'bin/chromium-headless-shell';
const own = join(privateFolder('chromium-headless-shell'), launcher);
// The headless shell first: it renders like the browser, without its windows, for half of the CPU.
const names = [
  'chromium-headless-shell',
  'chrome-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
];

/** `--version` also works without the files that rendering needs. */
const DRAWS_A_PAGE = ['--headless', '--no-sandbox', '--disable-gpu', '--dump-dom', 'about:blank'];

const instructions = [
  'The web console tests need Chromium, but none was found.',
  'On Debian, apt fetches it, which needs the network once. Elsewhere, install it (Debian: apt-get install chromium, Fedora: dnf install chromium,',
  'macOS: brew install --cask chromium), or set CHROMIUM_PATH to the program of a Chromium or Chrome.',
].join('\n');

/**
 * Finds a Chromium for tests: CHROMIUM_PATH, else one on PATH. If there is none, apt downloads one into
 * `.data/tools/chromium-headless-shell`, without changing the system.
 * @returns {Promise<string>} the path of the program
 * @throws {SetupError} whose message says what to do
 */
export async function findOrInstallChromium() {
  return findChromium() ?? withInstallLock(install);
}

async function install() {
  const meanwhile = findChromium();
  if (meanwhile) return meanwhile;
  say('No Chromium found for the web console tests: fetching it with apt into .data/tools (about a minute, once) …');
  // Chromium looks for the files of chromium-common next to itself, even if the system has them.
  const packages = ['chromium-headless-shell', 'chromium-common', 'fonts-dejavu-core'];
  const { ok, output } = await unpackPrivately('chromium-headless-shell', packages, {
    path: launcher,
    script: [
      'FONTCONFIG_PATH=$files/etc/fonts',
      'test -e /etc/fonts/fonts.conf && FONTCONFIG_PATH=/etc/fonts',
      'XDG_DATA_DIRS=$files/usr/share:/usr/local/share:/usr/share',
      'export FONTCONFIG_PATH XDG_DATA_DIRS',
      'exec "$files/usr/lib/chromium/chromium-headless-shell" "$@"',
    ].join('\n'),
  });
  const works = ok ? await runQuietly(own, DRAWS_A_PAGE, { timeoutMs: 60_000 }) : { ok, output };
  if (works.ok) return own;
  rmSync(privateFolder('chromium-headless-shell'), { recursive: true, force: true });
  throw new SetupError(`${instructions}\nWhat went wrong: ${works.output.trim().split('\n').at(-1)}`);
}

/** @returns {string | undefined} */
function findChromium() {
  // Only working programs stay in the private folder.
  return process.env.CHROMIUM_PATH || (findProgram(names) ?? (existsSync(own) ? own : undefined));
}
