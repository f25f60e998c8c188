import type { Block } from '../documents.ts';

/** Position of an embedded picture among the blocks. */
export interface PictureMark {
  type: 'picture';
  text: '';
  picture: number;
  page: number | null;
}

export type MarkedBlock = Block | PictureMark;

export const isPictureMark = (block: MarkedBlock): block is PictureMark => block.type === 'picture';

/** A picture inside a document, as it is in the file. */
export interface EmbeddedPicture {
  id: number;
  mimeType: 'image/png' | 'image/jpeg' | 'image/tiff' | 'image/webp';
  bytes: Uint8Array;
}
