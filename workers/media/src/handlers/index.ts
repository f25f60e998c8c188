import type { HandlersFor } from '@chorus/worker-kit';
import { irisImage } from './iris-image.ts';
import { irisVideo } from './iris-video.ts';
import type { MediaParts } from './media-parts.ts';

/** The handlers of the media pool, a line for each kind. */
export const createHandlers = (parts: MediaParts): HandlersFor<'media'> => ({
  'iris.image': irisImage(parts),
  'iris.video': irisVideo(parts),
});
