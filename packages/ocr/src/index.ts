export { createOcr, type OcrOptions } from './create-ocr.ts';
export * from './ocr.ts';
export { describeFailures } from './unreadable.ts';
