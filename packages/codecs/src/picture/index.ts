export { decodeBaseline } from './decode-baseline.ts';
export { decodeFirstFrame, type Frame } from './decode-first-frame.ts';
