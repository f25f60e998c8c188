import type { ChorusError, OcrEngine, OcrPage } from '@chorus/contract';

/** Supported types. Aliases such as `image/jpg` are not supported. */
export const READABLE_TYPES = ['application/pdf', 'image/png', 'image/jpeg', 'image/tiff', 'image/webp'] as const;
export type ReadableType = (typeof READABLE_TYPES)[number];

export const DEFAULT_LANGUAGES: readonly string[] = ['eng'];

export interface PageImage {
  number: number;
  mimeType: 'image/jpeg';
  bytes: Uint8Array;
}

/** Reads page images with a vision model instead of the engine. Its errors end the reading. */
export type Transcribe = (image: PageImage, signal: AbortSignal) => Promise<{ text: string; markdown: string }>;

export interface OpenedFile {
  pageCount: number;
  pages: number[];
  /** Requested pages beyond the limit, such as `1001-2400`. */
  pagesLeft: string | null;
}

export interface FailedPage {
  page: number;
  error: ChorusError;
  /** Only its picture could not be read. */
  hasTextLayer: boolean;
}

export interface ReadOptions {
  /** ISO 639-2 codes, the most likely first. Default: English. */
  languages?: readonly string[];
  pages?: string | null;
  /** Skips pages up to this number, which have already been read. */
  after?: number;
  signal?: AbortSignal;
  onOpen?(file: OpenedFile): void;
  /** Receives pages that even fresh children could not read. Reading continues. Default: such a page ends it. */
  onFailure?(failed: FailedPage): void;
  /** Reads pages without a text layer; default: the engine. */
  transcribe?: Transcribe;
}

export interface Ocr {
  /**
   * Reads a file page by page, in order, working on several pages at once.
   *
   * Uses the text layer of a PDF page if it has one, otherwise OCR. Retries a failed page in a fresh child.
   * @throws {ChorusError} `unsupported_media_type`; `invalid_request` for damaged or encrypted files, and missing pages
   * or languages; `payload_too_large` beyond the limits; `timeout` if a page takes too long
   */
  read(source: string | Uint8Array, mimeType: string, options?: ReadOptions): AsyncGenerator<OcrPage, void, undefined>;
  engine(): Promise<OcrEngine>;
  close(): Promise<void>;
}

export interface OcrLimits {
  fileBytes: number;
  pixels: number;
  pages: number;
  /** Time limit for one page, from when a child starts on it. */
  pageMs: number;
  memoryBytes: number;
}

export const DEFAULT_LIMITS: OcrLimits = {
  fileBytes: 200_000_000,
  pixels: 80_000_000,
  pages: 1_000,
  pageMs: 120_000,
  memoryBytes: 1_500_000_000,
};
