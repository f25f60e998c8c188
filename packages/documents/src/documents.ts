/** A piece of what a file says, in the order of reading. */
export interface Block {
  type: 'heading' | 'paragraph' | 'list' | 'table' | 'code' | 'quote';
  /** Of headings, 1 to 6. */
  level?: number;
  /** Tables and lists as Markdown, a row or item a line; all else word for word. */
  text: string;
  /** Where it begins, from 1: pages, slides; null in documents without them. */
  page: number | null;
}

export interface ParsedDocument {
  /** As the document itself says; null: it does not. */
  title: string | null;
  pageCount: number | null;
  /** At least one. */
  blocks: Block[];
  /** What of it could not be read, in sentences for the user. */
  warnings: string[];
}

/** A file on this machine. Its name and type are what is told of it; what it is decides how it is read. */
export interface DocumentFile {
  path: string;
  mimeType: string;
  filename: string | null;
}

export interface PageText {
  /** From 1. */
  number: number;
  /** Markdown, or plain text. */
  text: string;
}

export interface ReadPagesOptions {
  /** ISO 639-2 codes, the likeliest first; absent: the reader's own choice. */
  languages?: readonly string[];
  signal: AbortSignal;
  onPage?(done: number): void;
}

/**
 * Reads pages from their pictures: what `packages/ocr` does, handed in by the worker.
 *
 * @param pages the numbers of those pages, in order; null: all that there are, as of an image
 * @throws ChorusError as for the file as a whole
 */
export type ReadPages = (
  file: { path: string; mimeType: string },
  pages: readonly number[] | null,
  options: ReadPagesOptions,
) => Promise<PageText[]>;

export interface ParseOptions {
  /** Ends what is computed for this file at once; its reason is thrown. */
  signal: AbortSignal;
  /** Of pages that are read from their pictures. */
  languages?: readonly string[];
  /** How far it is: pages where there are, else bytes or parts. `total` may grow. */
  onProgress?(done: number, total: number): void;
  /** Absent: pictures are not read, and warnings say so. */
  readPages?: ReadPages;
}

export interface Documents {
  /**
   * What the file says.
   *
   * @throws ChorusError `unsupported_media_type`; `payload_too_large` beyond what is allowed; `invalid_request` for a file that is broken, encrypted
   * or empty; `timeout`. Each in words for the user. And what `readPages` throws
   */
  parse(file: DocumentFile, options: ParseOptions): Promise<ParsedDocument>;
  /** Ends the children, and what they work on. */
  close(): Promise<void>;
}

export interface DocumentLimits {
  /** Of a file, in bytes. */
  fileBytes: number;
  /** Of a file that is text, in bytes. */
  textBytes: number;
  /** Pages of a PDF. */
  pages: number;
  /** That a document may say, in UTF-16 units. */
  characters: number;
  /** What is unpacked of a file that is an archive (DOCX, EPUB …), in bytes, and how many files it may hold. */
  unpackedBytes: number;
  packedFiles: number;
  /** For one file, in milliseconds, from when a child begins with it; what `readPages` takes aside. */
  parseMs: number;
  /** How long a child may say nothing over a file, in milliseconds. */
  silenceMs: number;
  /** Memory of a child, in bytes; held where the system has `prlimit`. */
  memoryBytes: number;
}

export const DEFAULT_LIMITS: DocumentLimits = {
  fileBytes: 250_000_000,
  textBytes: 60_000_000,
  pages: 10_000,
  characters: 20_000_000,
  unpackedBytes: 400_000_000,
  packedFiles: 20_000,
  parseMs: 600_000,
  silenceMs: 90_000,
  memoryBytes: 1_500_000_000,
};
