import type { Readable } from 'node:stream';
import { ChorusError } from '@chorus/contract/errors';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import type { DocumentLimits } from '../documents.ts';

type PackageLimits = Pick<DocumentLimits, 'unpackedBytes' | 'packedFiles' | 'characters'>;

/** Allowed characters between tags, spaces and numbers included, as a multiple of the document's limit. */
const TEXT_SHARE = 3;

/** An archive whose files are read one after another, with a limit for their total size. */
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

  /** Returns the unpacked size according to the archive's directory, which is only a hint for progress. */
  sizeOf(name: string): number {
    return this.#entries.get(name)?.uncompressedSize ?? 0;
  }

  /**
   * Unpacks a file in pieces. Yields nothing if it is missing.
   * @throws {ChorusError} invalid_request, payload_too_large
   */
  async *pieces(name: string): AsyncGenerator<Uint8Array, void, undefined> {
    const entry = this.#entries.get(name);
    if (entry === undefined) return;
    if (!entry.canDecodeFileData())
      throw new ChorusError('invalid_request', 'The file is encrypted or packed with an unsupported method.');
    try {
      const stream: Readable = await this.#zip.openReadStreamPromise(entry);
      for await (const piece of stream as AsyncIterable<Uint8Array>) {
        this.#bytesLeft -= piece.length;
        if (this.#bytesLeft < 0)
          throw new ChorusError(
            'payload_too_large',
            `The unpacked file is larger than the ${this.#limits.unpackedBytes} bytes allowed.`,
          );
        yield piece;
      }
    } catch (error) {
      throw error instanceof ChorusError ? error : brokenPackage(error);
    }
  }

  async read(name: string): Promise<Buffer> {
    return Buffer.concat(await Array.fromAsync(this.pieces(name)));
  }

  /** Counts characters between tags. @throws {ChorusError} payload_too_large */
  countText(characters: number): void {
    this.#charactersLeft -= characters;
    if (this.#charactersLeft < 0)
      throw new ChorusError(
        'payload_too_large',
        `The document has more than the ${this.#limits.characters} characters allowed.`,
      );
  }

  close(): void {
    this.#zip.close();
  }
}

/** @throws {ChorusError} invalid_request if it is not an archive; payload_too_large */
export async function openPackage(path: string, limits: PackageLimits): Promise<Package> {
  const { packedFiles } = limits;
  let zip: ZipFile | null = null;
  try {
    zip = await openPromise(path, { lazyEntries: true, autoClose: false });
    if (zip.entryCount > packedFiles)
      throw new ChorusError(
        'payload_too_large',
        `The archive holds ${zip.entryCount} files; the limit is ${packedFiles}.`,
      );
    const entries = new Map<string, Entry>();
    for await (const entry of zip.eachEntry()) if (!entries.has(entry.fileName)) entries.set(entry.fileName, entry);
    return new Package(zip, entries, limits);
  } catch (error) {
    zip?.close();
    throw error instanceof ChorusError ? error : brokenPackage(error);
  }
}

const brokenPackage = (cause: unknown) =>
  new ChorusError('invalid_request', 'The file is damaged or cut off and cannot be unpacked.', { cause });
