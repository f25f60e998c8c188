import { createInterface } from 'node:readline/promises';
import type { AssetStore } from '@chorus/assets';
import { ChorusError, idSchema, type OcrPage, type Owner, ocrPage, type Usage, usage } from '@chorus/contract';
import type { Checkpoint } from '@chorus/worker-kit';
import { z } from 'zod';

/** Pages are stored after this many, once repeating them would take longer than storing. */
export interface KeepAfter {
  pages: number;
  ms: number;
}

const KEEP_AFTER: KeepAfter = { pages: 10, ms: 20_000 };

const checkpoint = z.object({
  /** Files without an asset record, one page per line. The sweep deletes leftovers. */
  parts: z.array(idSchema('asset')),
  usage: usage.nullable(),
});

export interface KeptPagesParts {
  assets: Pick<AssetStore, 'stage' | 'read' | 'discard'>;
  checkpoint: Checkpoint;
  owner: Owner;
  keepAfter?: KeepAfter | undefined;
}

/** Stores pages for an attempt that may have to take over. */
export class KeptPages {
  readonly #parts: KeptPagesParts;
  readonly #keepAfter: KeepAfter;
  #ids: string[] = [];
  #waiting: OcrPage[] = [];
  #keptAt = performance.now();

  constructor(parts: KeptPagesParts) {
    this.#parts = parts;
    this.#keepAfter = parts.keepAfter ?? KEEP_AFTER;
  }

  /** Usage of earlier attempts, if they stored pages. */
  get usage(): Usage | null {
    return checkpoint.safeParse(this.#parts.checkpoint.value).data?.usage ?? null;
  }

  /** Yields the pages of an earlier attempt from the first on, as far as they still exist. */
  async *earlier(): AsyncGenerator<OcrPage, void, undefined> {
    const kept = checkpoint.safeParse(this.#parts.checkpoint.value).data;
    for (const id of kept?.parts ?? []) {
      const pages = await this.#read(id);
      if (pages === null) return;
      this.#ids.push(id);
      yield* pages;
    }
  }

  /** @param used by all attempts so far */
  async add(page: OcrPage, used: Usage | null): Promise<void> {
    this.#waiting.push(page);
    const { pages, ms } = this.#keepAfter;
    if (this.#waiting.length >= pages && performance.now() - this.#keptAt >= ms) await this.keep(used);
  }

  async keep(used: Usage | null): Promise<void> {
    if (this.#waiting.length === 0) return;
    const body = Buffer.from(this.#waiting.map((one) => `${JSON.stringify(one)}\n`).join(''));
    const { id } = await this.#parts.assets.stage({ owner: this.#parts.owner, body, filename: null });
    this.#ids.push(id);
    this.#waiting = [];
    this.#keptAt = performance.now();
    await this.#parts.checkpoint.save({ parts: this.#ids, usage: used } satisfies z.infer<typeof checkpoint>);
  }

  /** Deletes all stored pages. */
  async discard(): Promise<void> {
    const { assets, owner } = this.#parts;
    await Promise.all(this.#ids.map((id) => assets.discard({ id, owner })));
  }

  async #read(id: string): Promise<OcrPage[] | null> {
    try {
      const lines = createInterface({ input: await this.#parts.assets.read({ id }) });
      const pages: OcrPage[] = [];
      for await (const line of lines) pages.push(ocrPage.parse(JSON.parse(line)));
      return pages;
    } catch (error) {
      if (error instanceof ChorusError && error.code === 'not_found') return null;
      throw error;
    }
  }
}
