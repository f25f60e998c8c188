import type { Readable } from 'node:stream';
import { ChorusError } from '@chorus/contract';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import type { DocumentLimits } from '../documents.ts';

type PackageLimits = Pick<DocumentLimits, 'unpackedBytes' | 'packedFiles' | 'characters'>;

/** Of what stands between tags, blanks and numbers among it, so many times as much is met as a document may say. */
const TEXT_SHARE = 3;

/** An archive whose files are read one after another, no more of them all together than is allowed. */
export class Package {
  readonly #zip: ZipFile;
  readonly #entries: ReadonlyMap<string, Entry>;
  readonly #limits: PackageLimits;
  #bytesLeft: number;
  #charactersLeft: number;

  constructor(zip: ZipFile, entries: ReadonlyMap<string, Entry>, limits: PackageLimits) {
    this.#zip = zip;
    this.#entries = entries;
    this.#limits = limits;
    this.#bytesLeft = limits.unpackedBytes;
    this.#charactersLeft = limits.characters * TEXT_SHARE;
  }

  has(name: string): boolean {
    return this.#entries.has(name);
  }

  /** What its table says that it has unpacked, in bytes: a hint for telling progress, no more. */
  sizeOf(name: string): number {
    return this.#entries.get(name)?.uncompressedSize ?? 0;
  }

  /** The bytes of a file as they are unpacked; none where there is no such file. @throws ChorusError `invalid_request`, `payload_too_large` */
  async *pieces(name: string): AsyncGenerator<Uint8Array, void, undefined> {
    const entry = this.#entries.get(name);
    if (entry === undefined) return;
    if (!entry.canDecodeFileData())
      throw new ChorusError('invalid_request', 'The file is encrypted, or packed in a way that is not known here.');
    try {
      const stream: Readable = await this.#zip.openReadStreamPromise(entry);
      for await (const piece of stream as AsyncIterable<Uint8Array>) {
        this.#bytesLeft -= piece.length;
        if (this.#bytesLeft < 0)
          throw new ChorusError(
            'payload_too_large',
            `Unpacked the file has more than the ${this.#limits.unpackedBytes} bytes that are allowed.`,
          );
        yield piece;
      }
    } catch (error) {
      throw error instanceof ChorusError ? error : brokenPackage(error);
    }
  }

  /** All of a file. @throws as `pieces` */
  async read(name: string): Promise<Buffer> {
    return Buffer.concat(await Array.fromAsync(this.pieces(name)));
  }

  /** So many characters between its tags were met. @throws ChorusError `payload_too_large` */
  meetText(characters: number): void {
    this.#charactersLeft -= characters;
    if (this.#charactersLeft < 0)
      throw new ChorusError(
        'payload_too_large',
        `The document says more than the ${this.#limits.characters} characters that are allowed.`,
      );
  }

  close(): void {
    this.#zip.close();
  }
}

/** @throws ChorusError `invalid_request` for what is no archive, `payload_too_large` */
export async function openPackage(path: string, limits: PackageLimits): Promise<Package> {
  const { packedFiles } = limits;
  let zip: ZipFile | null = null;
  try {
    zip = await openPromise(path, { lazyEntries: true, autoClose: false });
    if (zip.entryCount > packedFiles)
      throw new ChorusError('payload_too_large', `The file holds ${zip.entryCount} files; ${packedFiles} are allowed.`);
    const entries = new Map<string, Entry>();
    for await (const entry of zip.eachEntry()) if (!entries.has(entry.fileName)) entries.set(entry.fileName, entry);
    return new Package(zip, entries, limits);
  } catch (error) {
    zip?.close();
    throw error instanceof ChorusError ? error : brokenPackage(error);
  }
}

const brokenPackage = (cause: unknown) =>
  new ChorusError('invalid_request', 'The file is broken or cut off: it can not be unpacked.', { cause });
