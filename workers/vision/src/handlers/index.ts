export { irisOcr as 'iris.ocr' } from './iris-ocr.ts';
export { irisVerify as 'iris.verify' } from './iris-verify.ts';
