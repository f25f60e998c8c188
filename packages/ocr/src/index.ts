export { createOcr, type OcrOptions } from './create-ocr.ts';
export * from './ocr.ts';
