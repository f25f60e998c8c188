import { ChorusError } from '@chorus/contract';
import { type ShapedImage, wordsWithout } from '../image-port.ts';
import type { ImageCall } from '../provider-port.ts';

/** How the image models of OpenAI are asked: what they can't take is told or refused; the sizes that each has, it says itself. */
export function shapeOpenAIImage({ model, prompt, size, negativePrompt, references = [] }: ImageCall): ShapedImage {
  const most = /^dall-e-3/.test(model) ? 0 : /^dall-e-2/.test(model) ? 1 : 16;
  if (references.length > most)
    throw new ChorusError(
      'invalid_request',
      `${model} takes ${most === 0 ? 'no reference images' : `at most ${most} of the reference images`}`,
    );
  const reads = !/^dall-e-2/.test(model);
  const warnings =
    negativePrompt === undefined
      ? []
      : [
          reads
            ? `${model} was asked in words to leave out the negative prompt.`
            : `${model} takes no negative prompt: it was left out.`,
        ];
  return {
    prompt: reads ? wordsWithout(prompt, negativePrompt) : prompt,
    ...(size && { size }),
    warnings,
  };
}
