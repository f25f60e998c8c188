import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ApiClient } from './api-client.ts';
import type { Payload } from './event-stream.ts';
import type { Platform } from './platform.ts';
import { dumpRedis, dumpStore } from './stored-text.ts';

/** A stream counts as read after it has been silent for this long. */
const SILENT_MS = 400;

const READ_AT_ONCE = 8;

/** Large, and independent of stored data: read only once. */
const IS_CONSTANT = /^\/(openapi\.json|kinds)$/;

/** Id prefixes by path parameter. */
const PREFIXES: Readonly<Record<string, string>> = {
  session_id: 'ses_',
  message_id: 'msg_',
  job_id: 'job_',
  asset_id: 'ast_',
  entry_id: 'kno_',
  unit_id: 'arc_',
  agent_id: 'agt_',
  prompt_id: 'prm_',
  batch_id: 'bat_',
  delivery_id: 'whd_',
  model: 'compatible/',
  // OpenAI's ids have the same number as ours.
  file_id: 'file-',
  file_batch_id: 'batch_',
  response_id: 'resp_',
};

const OPENAI_PREFIXES: Readonly<Record<string, string>> = { ast_: 'file-', bat_: 'batch_', job_: 'resp_' };

const IDS = /\b[a-z]{3}_[0-9a-hjkmnp-tv-z]{26}\b|\bcompatible\/echo\b/g;

interface GetRoute {
  /** For example `/jobs/{job_id}`. */
  path: string;
  query: string[];
}

/** Finds a word by every GET of the OpenAPI document, in Redis, in the store, and in files. */
export class WordFinder {
  readonly #platform: Platform;
  readonly #client: ApiClient;
  readonly #gets: GetRoute[];
  /** Ids from all answers, including those of deleted records. */
  readonly #ids = new Set<string>();

  private constructor(platform: Platform, gets: GetRoute[]) {
    this.#platform = platform;
    this.#client = platform.client;
    this.#gets = gets;
    this.unread = new Set(gets.map(({ path }) => path));
  }

  static async open(platform: Platform): Promise<WordFinder> {
    const { body } = await platform.client.get('/openapi.json');
    const gets = Object.entries<Payload>(body.paths).flatMap(([path, operations]) => {
      if (operations.get === undefined) return [];
      const parameters: Payload[] = [...(operations.parameters ?? []), ...(operations.get.parameters ?? [])];
      const query = parameters.flatMap((one) => (one.in === 'query' ? [one.name as string] : []));
      return [{ path: path.replace(/^\/api\/v1/, ''), query }];
    });
    if (gets.length < 30) throw new Error(`only ${gets.length} GETs in the OpenAPI document`);
    return new WordFinder(platform, gets);
  }

  /** Paths that were never read, because no id for them was known. */
  readonly unread: Set<string>;

  /** Constant paths that were read. */
  readonly #done = new Set<string>();

  /** Ids of earlier records, which lists still show. */
  readonly #settled = new Set<string>();

  /** Reads the records known so far no more, except in lists, Redis, the store, and files. */
  settle(): void {
    for (const id of this.#ids) this.#settled.add(id);
    this.#ids.clear();
  }

  async find(word: string): Promise<string[]> {
    const [places = []] = await this.findAll([word]);
    return places;
  }

  /** Returns the places of each word. */
  async findAll(words: readonly string[]): Promise<string[][]> {
    const found = words.map(() => new Set<string>());
    const note = (text: string | Buffer, place: string) => {
      for (const [at, word] of words.entries())
        if (text.includes(word)) found[at]?.add(place.replaceAll(word, '<word>'));
    };
    await this.#readAll(words, note);
    note(await dumpRedis(this.#platform.redis), 'redis');
    note(await dumpStore(this.#platform.store), 'store');
    for (const file of await filesUnder(join(this.#platform.dataDir, 'blobs')))
      note(Buffer.concat([Buffer.from(file), await readFile(file)]), `file ${file}`);
    return found.map((places) => [...places]);
  }

  /** Reads every known address once, including those whose ids appear in the meantime. */
  async #readAll(words: readonly string[], note: (text: string, place: string) => void): Promise<void> {
    const known = new Set(this.#done);
    const read = async (path: string) => {
      if (IS_CONSTANT.test(path)) this.#done.add(path);
      const text = await this.#read(path);
      this.#noteIds(text);
      note(text, `GET ${path}`);
    };
    for (let before = -1; before < known.size; ) {
      before = known.size;
      const paths = this.#gets.flatMap((get) => this.#addressesOf(get, words)).filter((path) => !known.has(path));
      for (const path of paths) known.add(path);
      const next = paths.values();
      const readRest = async () => {
        for (const path of next) await read(path);
      };
      await Promise.all(Array.from({ length: READ_AT_ONCE }, readRest));
    }
  }

  #noteIds(text: string): void {
    for (const [id] of text.matchAll(IDS)) {
      if (this.#settled.has(id)) continue;
      this.#ids.add(id);
      const openAi = OPENAI_PREFIXES[id.slice(0, 4)];
      if (openAi !== undefined) this.#ids.add(`${openAi}${id.slice(4)}`);
    }
  }

  #addressesOf({ path, query }: GetRoute, words: readonly string[]): string[] {
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);
    let paths = [path];
    for (const name of names) {
      const ids = [...this.#ids].filter((id) => id.startsWith(PREFIXES[name] ?? '-'));
      paths = paths.flatMap((one) => ids.map((id) => one.replace(`{${name}}`, id)));
    }
    if (paths.length > 0) this.unread.delete(path);
    const common = [
      ...(query.includes('limit') ? ['limit=100'] : []),
      ...(query.includes('include_superseded') ? ['include_superseded=true'] : []),
    ];
    const variants = [common, ...(query.includes('q') ? words.map((word) => [...common, `q=${word}`]) : [])];
    return paths.flatMap((one) => variants.map((parts) => `${one}${parts.length > 0 ? `?${parts.join('&')}` : ''}`));
  }

  /** Returns a response body; streams are read until they go silent. */
  async #read(path: string): Promise<string> {
    const isRoot = /^\/(healthz|readyz|metrics|openapi\.json|openai\/)/.test(path);
    const controller = new AbortController();
    const response = await fetch(`${this.#platform.apis[0]?.url}${isRoot ? '' : '/api/v1'}${path}`, {
      headers: {
        authorization: `Bearer ${this.#client.token}`,
        'x-scope-type': 'personal',
        // From the beginning of the stream.
        ...(path.startsWith('/events') ? { 'last-event-id': '0-0' } : {}),
      },
      signal: controller.signal,
    });
    const chunks: Uint8Array[] = [];
    let timer = setTimeout(() => controller.abort(), 30_000);
    try {
      for await (const chunk of response.body ?? []) {
        chunks.push(chunk);
        clearTimeout(timer);
        timer = setTimeout(() => controller.abort(), SILENT_MS);
      }
    } catch (error) {
      if (!controller.signal.aborted) throw error;
    } finally {
      clearTimeout(timer);
    }
    return Buffer.concat(chunks).toString();
  }
}

async function filesUnder(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
