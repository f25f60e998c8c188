// Builds the console into `dist`, unless `dist` is up to date. `node apps/console/build.mjs` builds it.
// Plain JavaScript: setup calls `consoleIsBuilt` before any package is installed.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const folder = dirname(fileURLToPath(import.meta.url));
const root = join(folder, '../..');
const built = join(folder, 'dist');
/** The digest of the sizes and times of the sources that `dist` was built from. */
const stamp = join(built, '.sources');

/** Everything that affects the build. package-lock.json covers the npm packages. */
const SOURCES = ['apps/console', 'packages/client/src', 'packages/contract/src', 'package-lock.json'];
const NO_SOURCES = new Set(['dist', 'node_modules']);
/** The large files of the first page. */
const FIRST_PAGE = /\/(?:base|chat)-[^/]*$/;
const COMPRESSED = new Set(['.js', '.css', '.svg', '.html', '.json', '.webmanifest']);

/** Returns whether `dist` was built from the current sources. */
export function consoleIsBuilt() {
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === digestOfSources();
}

async function buildConsole() {
  const digest = digestOfSources();
  // Overrides a value set by a test run: React's development checks double the bundle size.
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
      const bytes = readFileSync(file);
      writeFileSync(`${file}.gz`, gzipSync(bytes, { level: constants.Z_BEST_COMPRESSION }));
      // It takes ten times as long.
      if (FIRST_PAGE.test(file)) writeFileSync(`${file}.br`, brotliCompressSync(bytes));
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
    for (const file of filesOf(join(root, source))) {
      const { size, mtimeMs } = statSync(file);
      hash.update(`${file.slice(root.length)} ${size} ${mtimeMs}\n`);
    }
  }
  return hash.digest('hex');
}

/**
 * Returns all files in or below a path, sorted.
 *
 * @param {string} path
 * @returns {string[]}
 */
function filesOf(path) {
  if (extname(path) === '.json') return [path];
  if (!existsSync(path)) return [];
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => !NO_SOURCES.has(entry.name) && !entry.name.startsWith('dist.'))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => (entry.isDirectory() ? filesOf(join(path, entry.name)) : [join(path, entry.name)]));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href && !consoleIsBuilt()) await buildConsole();
