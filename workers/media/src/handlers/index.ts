export { irisImage as 'iris.image' } from './iris-image.ts';
export { irisUpscale as 'iris.upscale' } from './iris-upscale.ts';
export { irisVideo as 'iris.video' } from './iris-video.ts';
