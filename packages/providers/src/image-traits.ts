import { ChorusError, IMAGE_OPTIONS, type ImageOption } from '@chorus/contract';
import type { ImageCall } from './provider-port.ts';

/** The options that OpenAI's models support. No other provider has them. */
const SUPPORTED: [RegExp, readonly ImageOption[]][] = [
  [/^openai\/(chat)?gpt-image/, IMAGE_OPTIONS],
  [/^openai\/dall-e-3/, ['quality']],
  [/^openai\/dall-e-2/, ['mask_asset_id']],
];

/** Returns the options that an image model refuses. @param model `provider/model` */
export function unsupportedImageOptions(model: string): ImageOption[] {
  const supported = SUPPORTED.find(([pattern]) => pattern.test(model))?.[1] ?? [];
  return IMAGE_OPTIONS.filter((name) => !supported.includes(name));
}

/** @throws ChorusError `invalid_request` that names an option that the model does not support */
export function checkImageOptions({ model, options = {}, mask }: ImageCall): void {
  const given: string[] = [...Object.keys(options), ...(mask === undefined ? [] : ['mask_asset_id'])];
  const refused = unsupportedImageOptions(model).find((name) => given.includes(name));
  if (refused === undefined) return;
  const message = `is not supported by ${model}`;
  throw new ChorusError('invalid_request', `\`${refused}\` ${message}.`, {
    details: [{ path: `body.${refused}`, message }],
  });
}
