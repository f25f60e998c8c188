import type { OcrPage } from '@chorus/contract';
import type { LayerWorth } from '@chorus/pdf';
import type { ReadableType } from './ocr.ts';

/** What a child is told once, when it begins. */
export interface ChildSettings {
  /** The tesseract program of this machine; null: tesseract.js. */
  program: string | null;
  /** Where tesseract.js finds languages; null: among the packages. */
  data: string | null;
  /** Of one picture: width times height. */
  pixels: number;
}

/** Where the bytes lie, and what they must be. */
export interface FileToRead {
  path: string;
  type: ReadableType;
  sizeBytes: number;
}

export type Task =
  /** How many pages it has. */
  | { type: 'count'; file: FileToRead }
  /** The text that pages of a PDF carry themselves. */
  | { type: 'layers'; file: FileToRead; pages: number[] }
  /** What the picture of a page says. */
  | { type: 'recognise'; file: FileToRead; page: number; languages: string[] }
  /** The picture of a page as a JPEG. */
  | { type: 'picture'; file: FileToRead; page: number };

/** A page's own text. */
export interface PageLayer {
  number: number;
  page: OcrPage;
  /** `whole`: it is all there is to read. `nothing`: only the picture tells. `part`: whichever of the two says more. */
  worth: LayerWorth;
}

export interface TaskAnswers {
  count: number;
  layers: PageLayer[];
  recognise: OcrPage;
  /** Sizes are those of the page: pixels, points of a PDF. `blank`: there is nothing on it. */
  picture: { bytes: Uint8Array; width: number; height: number; blank: boolean };
}
