export type { LayoutBlock, ParsedPage, TextItem } from '@llamaindex/liteparse';
export { openPdf } from './open-pdf.ts';
export { scoreTextLayer, type TextLayerScore } from './score-text-layer.ts';
