export { detectFileType } from './detect-file-type.ts';
export { detectType, HEAD_BYTES } from './detect-type.ts';
export { hashDistance } from './hash-distance.ts';
export { type ImageFacts, THUMBNAIL_TYPE, VIEW_TYPE } from './image-tasks.ts';
export {
  enlargeImage,
  type ImageCall,
  type ImageSource,
  imageSimilarity,
  inspectImage,
  makeThumbnail,
  makeView,
  perceptualHash,
  probeImage,
} from './images.ts';
export { MediaError, type MediaProblem } from './media-error.ts';
export { extensionOf, isDecodable, type MediaType } from './media-types.ts';
export { type MediaSource, makePoster, probeVideo } from './probe-video.ts';
export { dependsOnEnd, refineType } from './refine-type.ts';
export type { VideoFacts } from './video-protocol.ts';
