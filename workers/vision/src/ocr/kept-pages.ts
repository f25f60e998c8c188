import { createInterface } from 'node:readline/promises';
import type { AssetStore } from '@chorus/assets';
import { ChorusError, idSchema, type OcrPage, type Owner, ocrPage, type Usage, usage } from '@chorus/contract';
import type { Checkpoint } from '@chorus/worker-kit';
import { z } from 'zod';

/** Pages are kept when there are so many, and so much time has passed, that reading them again would be worse. */
export interface KeepAfter {
  pages: number;
  ms: number;
}

const KEEP_AFTER: KeepAfter = { pages: 10, ms: 20_000 };

const checkpoint = z.object({
  /** Bytes without a record, which a sweep takes if nobody does: a page a line. */
  parts: z.array(idSchema('asset')),
  usage: usage.nullable(),
});

export interface KeptPagesParts {
  assets: Pick<AssetStore, 'stage' | 'read' | 'discard'>;
  checkpoint: Checkpoint;
  owner: Owner;
  keepAfter?: KeepAfter | undefined;
}

/** Pages that were read, kept for the attempt that may have to take over. */
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

  /** What an earlier attempt had used, where it kept pages. */
  get usage(): Usage | null {
    return checkpoint.safeParse(this.#parts.checkpoint.value).data?.usage ?? null;
  }

  /** The pages of an earlier attempt, from the first on, as far as they are still there. */
  async *earlier(): AsyncGenerator<OcrPage, void, undefined> {
    const kept = checkpoint.safeParse(this.#parts.checkpoint.value).data;
    for (const id of kept?.parts ?? []) {
      const pages = await this.#read(id);
      if (pages === null) return;
      this.#ids.push(id);
      yield* pages;
    }
  }

  /** @param used so far, by all attempts */
  async add(page: OcrPage, used: Usage | null): Promise<void> {
    this.#waiting.push(page);
    const { pages, ms } = this.#keepAfter;
    if (this.#waiting.length >= pages && performance.now() - this.#keptAt >= ms) await this.keep(used);
  }

  /** Keeps what was read since the last time. */
  async keep(used: Usage | null): Promise<void> {
    if (this.#waiting.length === 0) return;
    const body = Buffer.from(this.#waiting.map((one) => `${JSON.stringify(one)}\n`).join(''));
    const { id } = await this.#parts.assets.stage({ owner: this.#parts.owner, body, filename: null });
    this.#ids.push(id);
    this.#waiting = [];
    this.#keptAt = performance.now();
    await this.#parts.checkpoint.save({ parts: this.#ids, usage: used } satisfies z.infer<typeof checkpoint>);
  }

  /** Nobody needs them any more. */
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
