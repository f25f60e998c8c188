// Bundles the platform's programs into `dist`, unless they are up to date. `node scripts/programs/build.mjs`.
import { existsSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { root } from '../setup/project.mjs';
import { BUILT, programsAreBuilt, STAMP, stampOf } from './built-programs.mjs';

/**
 * Packages that the programs load at their start. All others stay in `node_modules`: most are loaded at their first
 * use, or have files of their own, such as binaries.
 */
const BUNDLED = new Set([
  '@opentelemetry/api',
  'bson',
  'bullmq',
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
  'typeid-js',
  'zod',
  'zod-openapi',
]);

/** Used by bundled packages, but finds its binary next to itself. */
const WITH_BINARIES = new Set(['msgpackr-extract']);

async function buildPrograms() {
  const target = join(root, BUILT);
  const fresh = `${target}.${process.pid}`;
  try {
    const bundle = await rolldown({
      cwd: root,
      input: Object.fromEntries(programs().map((source) => [source.replace(/\.ts$/, ''), join(root, source)])),
      platform: 'node',
      logLevel: 'warn',
      plugins: [packages, places],
    });
    // Names without digests, so that each build replaces the compiled code of the last one.
    const { output } = await bundle.write({ dir: fresh, format: 'esm', chunkFileNames: 'shared/[name].js' });
    await bundle.close();
    const sources = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds.filter(isOwn) : []));
    const paths = [...new Set(sources)].map((id) => relative(root, id)).sort();
    writeFileSync(join(fresh, STAMP), stampOf(root, paths));
    rmSync(target, { recursive: true, force: true });
    renameSync(fresh, target);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/** Returns the main source of each process. */
function programs() {
  const apps = ['api', 'background', 'maintenance', 'voice'].map((name) => `apps/${name}`);
  const workers = readdirSync(join(root, 'workers')).map((name) => `workers/${name}`);
  return [...apps, ...workers, 'packages/document-store']
    .map((folder) => `${folder}/src/main.ts`)
    .filter((source) => existsSync(join(root, source)));
}

/** @type {import('rolldown').Plugin} */
const packages = {
  name: 'packages',
  async resolveId(source, importer, { kind }) {
    if (importer === undefined || source.startsWith('node:')) return null;
    const found = await this.resolve(source, importer, { kind, skipSelf: true });
    const name = found ? packageOf(found.id) : undefined;
    if (name === undefined) return found;
    const isBundled = packageOf(importer) === undefined ? BUNDLED.has(name) : !WITH_BINARIES.has(name);
    return isBundled ? found : { id: source, external: true };
  },
};

/**
 * Modules find other files by their own place, which bundling would change.
 * @type {import('rolldown').Plugin}
 */
const places = {
  name: 'places',
  transform(code, id) {
    if (!/import\.meta\.url|__(?:dir|file)name/.test(code)) return null;
    /** @type {Record<string, string>} */
    const values = { 'import.meta.url': pathToFileURL(id).href, __dirname: dirname(id), __filename: id };
    return { code: code.replace(/import\.meta\.url|\b__(?:dir|file)name\b/g, (name) => JSON.stringify(values[name])) };
  },
};

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
