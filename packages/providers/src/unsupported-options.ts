import type { Capability } from '@chorus/contract';
import { embeddingTraits } from './embedding-traits.ts';
import { unsupportedImageOptions } from './image-traits.ts';

/** Returns the request fields, other than for chat, that a model refuses. @param model `provider/model` */
export function unsupportedOptions(model: string, capabilities: readonly Capability[]): string[] {
  return [
    ...(capabilities.includes('embedding') && !embeddingTraits(model).resizable ? ['dimensions'] : []),
    ...(capabilities.includes('image') ? unsupportedImageOptions(model) : []),
  ];
}
