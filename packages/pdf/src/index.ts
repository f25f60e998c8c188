export type { LayoutBlock, ParsedPage, TextItem } from '@llamaindex/liteparse';
export { openPdf } from './open-pdf.ts';
export { type LayerWorth, worthOfLayer } from './worth-of-layer.ts';
