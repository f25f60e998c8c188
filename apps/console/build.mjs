// Builds the console into `dist`, unless what lies there was made from these very sources. Plain JavaScript, since set-up asks
// `consoleIsBuilt` before anything is installed. `node apps/console/build.mjs` builds.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { constants, gzipSync } from 'node:zlib';

const folder = dirname(fileURLToPath(import.meta.url));
const root = join(folder, '../..');
const built = join(folder, 'dist');
/** Holds the digest of the sources that `dist` was made from. */
const stamp = join(built, '.sources');

/** What goes into the console, beside the packages that package-lock.json names. */
const SOURCES = ['apps/console', 'packages/client/src', 'packages/contract/src', 'package-lock.json'];
const NO_SOURCES = new Set(['dist', 'node_modules']);
const COMPRESSED = new Set(['.js', '.css', '.svg', '.html', '.json']);

/** Whether `dist` was built from the sources as they are now. */
export function consoleIsBuilt() {
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === digestOfSources();
}

async function buildConsole() {
  const digest = digestOfSources();
  // Also where a test, or whoever starts it, has set another one: React's checks for developers double its size.
  process.env.NODE_ENV = 'production';
  const { build } = await import('vite');
  const fresh = `${built}.${process.pid}`;
  try {
    await build({
      root: folder,
      configFile: join(folder, 'vite.config.ts'),
      logLevel: 'warn',
      build: { outDir: fresh },
    });
    for (const file of filesOf(fresh)) {
      if (!COMPRESSED.has(extname(file))) continue;
      writeFileSync(`${file}.gz`, gzipSync(readFileSync(file), { level: constants.Z_BEST_COMPRESSION }));
    }
    writeFileSync(join(fresh, '.sources'), digest);
    rmSync(built, { recursive: true, force: true });
    renameSync(fresh, built);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

function digestOfSources() {
  const hash = createHash('sha256');
  for (const source of SOURCES) {
    for (const file of filesOf(join(root, source)))
      hash.update(`${file.slice(root.length)}\0`).update(readFileSync(file));
  }
  return hash.digest('hex');
}

/** All files in or below a path, in order. @param {string} path @returns {string[]} */
function filesOf(path) {
  if (extname(path) === '.json') return [path];
  if (!existsSync(path)) return [];
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => !NO_SOURCES.has(entry.name) && !entry.name.startsWith('dist.'))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => (entry.isDirectory() ? filesOf(join(path, entry.name)) : [join(path, entry.name)]));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href && !consoleIsBuilt()) await buildConsole();
