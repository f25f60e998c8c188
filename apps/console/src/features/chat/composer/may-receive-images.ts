import type { Model } from '@chorus/client';

/** Returns whether a model may see images. A model that is not listed may; the server decides. */
export function mayReceiveImages(model: Pick<Model, 'capabilities' | 'owned_by'> | undefined): boolean {
  return model === undefined || model.owned_by === 'compatible' || model.capabilities.includes('vision');
}
