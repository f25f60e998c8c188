export type { LayoutBlock, ParsedPage, TextItem } from '@llamaindex/liteparse';
export { repeatedLines, withLostLines } from './lost-lines.ts';
export { openPdf } from './open-pdf.ts';
export { scoreTextLayer, type TextLayerScore } from './score-text-layer.ts';
export { mayBeVertical, verticalParagraphs } from './vertical-text.ts';
