export interface Block {
  type: 'heading' | 'paragraph' | 'list' | 'table' | 'code' | 'quote';
  level?: number;
  /** Tables and lists as Markdown, one row or item per line; everything else verbatim. */
  text: string;
  /** First page or slide, from 1; null in documents without pages. */
  page: number | null;
}

export interface ParsedDocument {
  title: string | null;
  pageCount: number | null;
  blocks: Block[];
  /** Describes parts that could not be read, for the user. */
  warnings: string[];
}

/** A local file. Its name and type are only claims, since its content decides how it is read. */
export interface DocumentFile {
  path: string;
  mimeType: string;
  filename: string | null;
}

/** A text in memory. */
export interface ShortText {
  bytes: Uint8Array;
  mimeType: string;
  filename: string | null;
}

export interface PageText {
  number: number;
  text: string;
}

export interface ReadPagesOptions {
  /** ISO 639-2 codes, the most likely first. Absent: the reader chooses. */
  languages?: readonly string[];
  signal: AbortSignal;
  onPage?(done: number): void;
  /** Receives pages that could not be read. */
  onFailure?(page: number, reason: string): void;
  /** Receives doubts about the text, worded for the user. */
  onWarning?(warning: string): void;
}

/**
 * Reads pages by OCR. The worker passes in a function of `packages/ocr`.
 *
 * @param pages page numbers in order; null for all of them, for example of an image
 * @throws {ChorusError} for problems of the whole file
 */
export type ReadPages = (
  file: { path: string; mimeType: string },
  pages: readonly number[] | null,
  options: ReadPagesOptions,
) => Promise<PageText[]>;

/**
 * Reads pictures inside a document by OCR. Returns a text, possibly empty, for each readable picture, by its position
 * in the list, from 1.
 */
export type ReadPictures = (
  pictures: readonly { mimeType: string; bytes: Uint8Array }[],
  options: ReadPagesOptions & { onFailure?(picture: number, reason: string): void },
) => Promise<PageText[]>;

export interface ParseOptions {
  signal: AbortSignal;
  languages?: readonly string[];
  /** Reports progress in pages, bytes, or parts. `total` may grow. */
  onProgress?(done: number, total: number): void;
  /** Without it, images are skipped with a warning. */
  readPages?: ReadPages;
  /** Without it, a warning lists pictures inside documents. */
  readPictures?: ReadPictures;
}

export interface Documents {
  /**
   * Parses a file into blocks.
   *
   * @throws {ChorusError} `unsupported_media_type`; `payload_too_large` beyond the limits; `invalid_request`
   * for damaged, encrypted, or empty files; `timeout`; and errors of `readPages`. Messages are for the user
   */
  parse(file: DocumentFile, options: ParseOptions): Promise<ParsedDocument>;
  /**
   * Parses a text that `isShortText` accepts in this process, without a child.
   *
   * @throws {ChorusError} as `parse`
   */
  parseText(text: ShortText): Promise<ParsedDocument>;
  close(): Promise<void>;
}

export interface DocumentLimits {
  fileBytes: number;
  textBytes: number;
  pages: number;
  characters: number;
  /** Total size and number of the files in an archive such as DOCX or EPUB. */
  unpackedBytes: number;
  packedFiles: number;
  /** Time limit for one file, from when a child starts on it, without `readPages`. */
  parseMs: number;
  /** How long a child may be silent while it reads. */
  silenceMs: number;
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
