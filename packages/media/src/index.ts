export { detectType, HEAD_BYTES } from './detect-type.ts';
export { makeThumbnail, THUMBNAIL_TYPE } from './make-thumbnail.ts';
export { MediaError, type MediaProblem } from './media-error.ts';
export { extensionOf, isDecodable, type MediaType } from './media-types.ts';
export type { ImageInput, ImageLimits } from './open-image.ts';
export { hashDistance, perceptualHash } from './perceptual-hash.ts';
export { type ImageFacts, probeImage } from './probe-image.ts';
export { type MediaSource, makePoster, probeVideo } from './probe-video.ts';
export type { VideoFacts } from './video-protocol.ts';
