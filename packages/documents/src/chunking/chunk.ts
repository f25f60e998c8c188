export interface Chunk {
  /** Index in the document, from 0. */
  position: number;
  /** Verbatim text of its blocks, separated by blank lines, including the overlap with the previous chunk. */
  text: string;
  /** Headings above the whole chunk, outermost first; not part of `text`. */
  heading_path: string[];
  /** First page, from 1; null in documents without pages. */
  page: number | null;
  kind: 'text' | 'table' | 'code';
}

export interface ChunkSettings {
  targetTokens: number;
  /** Upper limit for tables, code, and their pieces. Overlap and headings without text are added to it. */
  maxTokens: number;
  overlapSentences: number;
}

export const DEFAULT_SETTINGS: ChunkSettings = { targetTokens: 320, maxTokens: 480, overlapSentences: 1 };
