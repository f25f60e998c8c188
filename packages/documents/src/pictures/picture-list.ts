import { createHash } from 'node:crypto';
import { ChorusError } from '@chorus/contract/errors';
import type { BlockWriter } from '../block-writer.ts';
import type { Package } from '../package/open-package.ts';
import { examinePicture } from './examine-picture.ts';

/** Further pictures of a document are not read. */
const MAX_PICTURES = 200;
const MAX_PICTURE_BYTES = 20_000_000;
/** Limit of all pictures together, which the parent process keeps until they are read. */
export const MAX_TOTAL_BYTES = 64_000_000;
/** Larger ones are refused by OCR. */
const MAX_PIXELS = 80_000_000;

/** Smaller pictures are icons, rules, and bullets. */
const MIN_WIDTH = 100;
const MIN_HEIGHT = 24;
const MIN_PIXELS = 12_000;

/** Finds the pictures of a document that may contain text, each once, and sends them to the parent process. */
export class PictureList {
  readonly #writer: BlockWriter;
  /** By name in the file, in the order of the document. */
  readonly #names = new Map<string, number>();
  readonly #hashes = new Set<string>();
  readonly #unknown = new Set<string>();
  #sent = 0;
  #bytes = 0;
  readonly #skipped = new Map<Reason, number>();

  constructor(writer: BlockWriter) {
    this.#writer = writer;
  }

  /** Marks the place of a picture, if it is the first with this name. */
  mark(name: string): void {
    const id = this.place(name);
    if (id !== null) this.#writer.addPicture(id);
  }

  /** Returns the id of a new picture, which the caller marks. Null if it is already marked. */
  place(name: string): number | null {
    if (this.#names.has(name)) return null;
    const id = this.#names.size;
    this.#names.set(name, id);
    return id;
  }

  /** Sends the marked pictures of an archive. */
  async sendFrom(packed: Package): Promise<void> {
    for (const [name, id] of this.#names) {
      if (!packed.has(name)) continue;
      if (this.#sent === MAX_PICTURES) this.#skip('many');
      else if (packed.sizeOf(name) > MAX_PICTURE_BYTES) this.#skip('large');
      else {
        const bytes = await packed.read(name).catch((error: unknown) => {
          if (!(error instanceof ChorusError)) throw error;
          this.#skip('damaged');
          return null;
        });
        if (bytes !== null) await this.send(id, bytes);
      }
    }
  }

  /** Sends a picture if it may contain text and is within the limits. */
  async send(id: number, bytes: Buffer): Promise<void> {
    const { mimeType, format, width, height } = examinePicture(bytes);
    if (width !== null && height !== null) {
      if (width < MIN_WIDTH || height < MIN_HEIGHT || width * height < MIN_PIXELS) return;
      if (width * height > MAX_PIXELS) return this.#skip('large');
    }
    const hash = createHash('sha256').update(bytes).digest('base64');
    if (this.#hashes.has(hash)) return;
    this.#hashes.add(hash);
    if (mimeType === null) {
      this.#skip('unsupported');
      this.#unknown.add(format);
    } else if (bytes.length > MAX_PICTURE_BYTES) this.#skip('large');
    else if (this.#sent === MAX_PICTURES || this.#bytes + bytes.length > MAX_TOTAL_BYTES) this.#skip('many');
    else {
      this.#sent += 1;
      this.#bytes += bytes.length;
      await this.#writer.sendPicture({ id, mimeType, bytes });
    }
  }

  /** Counts pictures that could not be extracted from the file. */
  noteDamaged(count: number): void {
    for (let left = count; left > 0; left -= 1) this.#skip('damaged');
  }

  /** Lists pictures that were not sent. */
  warnings(): string[] {
    const formats = [...this.#unknown].sort().join(', ');
    return Array.from(this.#skipped, ([reason, count]) => {
      const were = count === 1 ? 'picture was' : 'pictures were';
      return `${count} ${were} not read: ${REASONS[reason].replace('FORMATS', formats)}.`;
    });
  }

  #skip(reason: Reason): void {
    this.#skipped.set(reason, (this.#skipped.get(reason) ?? 0) + 1);
  }
}

type Reason = keyof typeof REASONS;

const REASONS = {
  many: `a document may have ${MAX_PICTURES} pictures of ${MAX_TOTAL_BYTES / 1e6} MB together`,
  large: `a picture may have ${MAX_PICTURE_BYTES / 1e6} MB and ${MAX_PIXELS / 1e6} megapixels`,
  damaged: 'damaged',
  unsupported: 'the format is FORMATS; PNG, JPEG, TIFF, and WebP are read',
};
