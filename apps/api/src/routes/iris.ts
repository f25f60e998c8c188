import { execution, imageRequest, ocrRequest, verifyRequest, videoRequest } from '@chorus/contract';
import { defineRoute } from '../define-route.ts';
import { runIris } from '../delivery/run-iris.ts';
import { PREFER } from '../delivery/run-work.ts';

const common = {
  method: 'post',
  area: 'iris',
  needs: 'run',
  executes: true,
  answer: execution,
  streams: true,
  headers: {
    Prefer: PREFER,
  },
} as const;

export const generateImages = defineRoute({
  ...common,
  path: '/iris/generate',
  summary: 'Make images',
  description:
    'Each prompt, `n` times. Each image is an `asset` item of the output, told as soon as it is finished. Without a key for a provider ' +
    '`embedded/canvas` draws the scene by rules, not by a neural model.',
  body: imageRequest,
  handle: ({ body, context }) => runIris(context, 'iris.image', body),
});

export const generateVideo = defineRoute({
  ...common,
  path: '/iris/video',
  summary: 'Make a video',
  description: 'Takes minutes with most models: `Prefer: respond-async` or a stream suit it.',
  body: videoRequest,
  handle: ({ body, context }) => runIris(context, 'iris.video', body),
});

export const readText = defineRoute({
  ...common,
  path: '/iris/ocr',
  summary: 'Read the text of an image or document',
  description:
    'PDF, PNG, JPEG, TIFF, WebP. The text streams page by page; the end has every page with its lines, words, their boxes and confidence, and as Markdown.',
  file: { as: 'asset_id' },
  body: ocrRequest,
  handle: ({ body, context }) => runIris(context, 'iris.ocr', body),
});

export const verifyMedia = defineRoute({
  ...common,
  path: '/iris/verify',
  summary: 'Ask whether a file was made here, and shows what is claimed',
  description:
    "By the signed record in the file, by what this scope has generated, and by likeness. `not_found` never means that it is no AI's work.",
  file: { as: 'asset_id' },
  body: verifyRequest,
  handle: ({ body, context }) => runIris(context, 'iris.verify', body),
});
