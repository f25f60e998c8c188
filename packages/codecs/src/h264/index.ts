export { type H264Shape, H264Writer } from './h264-writer.ts';
