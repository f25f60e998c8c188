export type { LayoutBlock, ParsedPage, TextItem } from '@llamaindex/liteparse';
export { withFormRows } from './form-rows.ts';
export * from './layout/index.ts';
export { repeatedLines, withLostLines } from './lost-lines.ts';
export { openPdf } from './open-pdf.ts';
export { scoreTextLayer, type TextLayerScore } from './score-text-layer.ts';
export { mayBeVertical, verticalParagraphs } from './vertical-text.ts';
