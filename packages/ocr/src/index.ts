export { createOcr, type OcrOptions } from './create-ocr.ts';
export { type DoubtfulPage, describeDoubts, isDoubtful } from './describe-doubts.ts';
export * from './ocr.ts';
export { describeFailures } from './unreadable.ts';
