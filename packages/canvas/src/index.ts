export { drawImage, type ImageRequest } from './canvas.ts';
export { CanvasError } from './canvas-error.ts';
export { type DrawnVideo, drawVideo, type VideoOptions, type VideoRequest } from './canvas-video.ts';
