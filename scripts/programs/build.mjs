// Bundles the platform's programs into `dist`, unless they are up to date. `node scripts/programs/build.mjs`.
import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { compileCache } from '../setup/compile-cache.mjs';
import { root } from '../setup/project.mjs';
import { BUILT, bundleOf, programsAreBuilt, STAMP, stampOf } from './built-programs.mjs';

/**
 * Packages that the programs load at their start. All others stay in `node_modules`: most are loaded at their first
 * use, or have files of their own, such as binaries.
 */
const BUNDLED = new Set([
  '@opentelemetry/api',
  '@orama/stemmers',
  'bson',
  'bullmq',
  'content-disposition',
  'eventsource-parser',
  'express',
  'ioredis',
  'jose',
  'mongodb',
  'mongoose',
  'multer',
  'otplib',
  'passport',
  'passport-headerapikey',
  'prom-client',
  'stemmer',
  'typeid-js',
  'zod',
  'zod-openapi',
]);

/** Packages of adapters, which are loaded at the start for the providers with keys. */
const SDK = '@ai-sdk/';

/** Folder of what several programs load. */
const SHARED = 'shared';

/** How long to keep files of earlier builds, and code that Node compiled. */
const KEEP_MS = 14 * 86_400_000;

/** Bundled packages use them, but they look for a binary next to themselves. */
const WITH_BINARIES = new Set(['msgpackr-extract']);

const programs = findPrograms();

async function buildPrograms() {
  const target = join(root, BUILT);
  rmSync(join(target, STAMP), { force: true });
  const bundle = await rolldown({
    cwd: root,
    input: Object.fromEntries(programs.map((source) => [source.replace(/\.ts$/, ''), join(root, source)])),
    platform: 'node',
    logLevel: 'warn',
    plugins: [packages, locations],
  });
  const { output } = await bundle.write({ dir: target, format: 'esm', chunkFileNames: `${SHARED}/[name]-[hash].js` });
  await bundle.close();
  // A running platform may still load files of its build.
  removeOld(join(target, SHARED), new Set(output.map(({ fileName }) => basename(fileName))));
  removeOld(compileCache());
  const sources = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds.filter(isOwn) : []));
  const paths = [...new Set([...sources, fileURLToPath(import.meta.url)])].map((id) => relative(root, id)).sort();
  writeFileSync(join(target, STAMP), stampOf(root, paths));
}

/**
 * Removes files that were written long ago.
 * @param {string} folder
 * @param {Set<string>} [kept] names
 */
function removeOld(folder, kept = new Set()) {
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const path = join(folder, name);
    const entry = statSync(path, { throwIfNoEntry: false });
    if (entry?.isFile() && !kept.has(name) && Date.now() - entry.mtimeMs > KEEP_MS) rmSync(path, { force: true });
  }
}

/** Returns the sources that run on their own: the processes, the lease thread, and the check of the settings. */
function findPrograms() {
  const apps = ['api', 'background', 'maintenance', 'voice'].map((name) => `apps/${name}`);
  const workers = readdirSync(join(root, 'workers')).map((name) => `workers/${name}`);
  const mains = [...apps, ...workers, 'packages/document-store'].map((folder) => `${folder}/src/main.ts`);
  return [
    ...mains,
    'packages/worker-kit/src/lease/lease-thread.ts',
    'packages/runtime/src/config/settings-main.ts',
  ].filter((source) => existsSync(join(root, source)));
}

/** @type {import('rolldown').Plugin} */
const packages = {
  name: 'packages',
  async resolveId(source, importer, { kind }) {
    if (importer === undefined || source.startsWith('node:')) return null;
    const found = await this.resolve(source, importer, { kind, skipSelf: true });
    const name = found ? packageOf(found.id) : undefined;
    if (name === undefined) return found;
    const isBundled =
      packageOf(importer) === undefined ? BUNDLED.has(name) || name.startsWith(SDK) : !WITH_BINARIES.has(name);
    return isBundled ? found : { id: source, external: true };
  },
};

/**
 * Keeps the locations of modules, by which they find other files.
 * @type {import('rolldown').Plugin}
 */
const locations = {
  name: 'locations',
  transform(code, id) {
    if (!/import\.meta\.url|__(?:dir|file)name/.test(code)) return null;
    /** @type {Record<string, string>} */
    const values = { 'import.meta.url': pathToFileURL(id).href, __dirname: dirname(id), __filename: id };
    return {
      code: code
        .replace(/(?<=new URL\(')\.\/[^']+\.ts(?=', import\.meta\.url)/g, (path) => urlOf(join(dirname(id), path)))
        .replace(/import\.meta\.url|\b__(?:dir|file)name\b/g, (name) => JSON.stringify(values[name])),
    };
  },
};

/** Returns the URL of the file that runs a source. @param {string} source absolute */
function urlOf(source) {
  const path = relative(root, source);
  return pathToFileURL(programs.includes(path) ? bundleOf(root, path) : source).href;
}

/** @param {string} id */
function isOwn(id) {
  return id.startsWith(`${root}/`) && packageOf(id) === undefined;
}

/** Returns the npm package that a file belongs to. @param {string} id */
function packageOf(id) {
  const at = id.lastIndexOf('/node_modules/');
  if (at < 0) return undefined;
  const [first = '', second] = id.slice(at + '/node_modules/'.length).split('/');
  return first.startsWith('@') ? `${first}/${second}` : first;
}

if (!programsAreBuilt(root)) await buildPrograms();
