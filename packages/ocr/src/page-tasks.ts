import type { OcrPage } from '@chorus/contract';
import type { TextLayerScore } from '@chorus/documents/pdf';
import type { PageLanguages } from './engine/scripts.ts';
import type { ReadableType } from './ocr.ts';

export interface ChildSettings {
  program: string | null;
  data: string | null;
  pixels: number;
}

export interface FileToRead {
  path: string;
  type: ReadableType;
  sizeBytes: number;
}

export type Task =
  | { type: 'count'; file: FileToRead }
  | { type: 'layers'; file: FileToRead; pages: number[] }
  | ({ type: 'recognize'; file: FileToRead; page: number } & PageLanguages)
  | { type: 'picture'; file: FileToRead; page: number };

export interface PageLayer {
  number: number;
  page: OcrPage;
  /** `whole`: complete. `nothing`: the page needs OCR. `part`: the longer of both texts is used. */
  score: TextLayerScore;
}

export interface TaskAnswers {
  count: number;
  layers: PageLayer[];
  recognize: OcrPage;
  /** Size of the page: pixels, or points of a PDF. */
  picture: { bytes: Uint8Array; width: number; height: number; blank: boolean };
}
