export * from './ocr.ts';
