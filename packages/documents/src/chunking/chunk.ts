/** A piece of a document that is found, shown and cited as one. */
export interface Chunk {
  /** From 0, in the order of the document. */
  position: number;
  /** Word for word from its blocks, with an empty line between two of them; what it shares with the chunk before included. */
  text: string;
  /** The headings that all of it stands under, from the outermost; they are not in `text`. */
  heading_path: string[];
  /** Where it begins, from 1; null in documents without pages. */
  page: number | null;
  kind: 'text' | 'table' | 'code';
}

export interface ChunkSettings {
  /** What a chunk has where the document allows it, in tokens of a usual model, as `countTokens` estimates them. */
  targetTokens: number;
  /** What a table, a piece of code or what is cut of them never exceeds; overlap and headings without text come on top. */
  maxTokens: number;
  /** Sentences at the end of a chunk that the next one begins with, where both are of one section. */
  overlapSentences: number;
}

export const DEFAULT_SETTINGS: ChunkSettings = { targetTokens: 320, maxTokens: 480, overlapSentences: 1 };
