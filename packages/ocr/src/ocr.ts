import type { OcrPage } from '@chorus/contract';

/** The types that can be read; `image/jpg` and the like are not among them. */
export const READABLE_TYPES = ['application/pdf', 'image/png', 'image/jpeg', 'image/tiff', 'image/webp'] as const;
export type ReadableType = (typeof READABLE_TYPES)[number];

/** One page as a picture, upright as viewers show it. */
export interface PageImage {
  number: number;
  mimeType: 'image/jpeg';
  bytes: Uint8Array;
}

/** Who reads pictures of pages in place of the engine: a model that sees. Whatever it throws ends the reading. */
export type Transcribe = (image: PageImage, signal: AbortSignal) => Promise<{ text: string; markdown: string }>;

/** What is known of a file once it is open, before its first page is read. */
export interface OpenedFile {
  /** Of the whole file. */
  pageCount: number;
  /** The numbers of those that will be read, in order. */
  pages: number[];
  /** What was asked for and will not be read, such as `1001-2400`: more than are read at once. */
  pagesLeft: string | null;
}

export interface ReadOptions {
  /** ISO 639-2 codes, the likeliest first; absent: English. */
  languages?: readonly string[];
  /** Such as `1-3,7`; absent or null: all. */
  pages?: string | null;
  /** Pages up to this number have been read before, and are not read again. */
  after?: number;
  /** Ends what is computed for this file at once; its reason is thrown. */
  signal?: AbortSignal;
  onOpen?(file: OpenedFile): void;
  /** Reads the pictures of pages that have no text of their own; absent: the engine. */
  transcribe?: Transcribe;
}

export interface OcrEngine {
  name: 'tesseract' | 'tesseract.js';
  version: string;
  /** ISO 639-2 codes. */
  languages: string[];
}

export interface Ocr {
  /**
   * Reads a file, given by its path or as bytes, page by page in order; several pages are worked on at once. Where a page of a PDF has text of
   * its own, that is taken, with its places; else the page's picture is read.
   * @throws ChorusError `unsupported_media_type`; `invalid_request` for a file that is broken, encrypted or without the pages asked for, and for
   * languages that are not there; `payload_too_large` beyond what is allowed; `timeout` where a page takes too long. Each names what is allowed.
   */
  read(source: string | Uint8Array, mimeType: string, options?: ReadOptions): AsyncGenerator<OcrPage, void, undefined>;
  /** What reads pictures here. */
  engine(): Promise<OcrEngine>;
  /** Ends the children, and what they work on. */
  close(): Promise<void>;
}

export interface OcrLimits {
  /** Of a file, in bytes. */
  fileBytes: number;
  /** Of an image, or of one page of it: width times height. */
  pixels: number;
  /** Pages that are read of one file. */
  pages: number;
  /** For one page, in milliseconds, from when a child begins with it. */
  pageMs: number;
  /** Memory of a child, in bytes; held where the system has `prlimit`. */
  memoryBytes: number;
}

export const DEFAULT_LIMITS: OcrLimits = {
  fileBytes: 200_000_000,
  pixels: 80_000_000,
  pages: 1_000,
  pageMs: 120_000,
  memoryBytes: 1_500_000_000,
};
