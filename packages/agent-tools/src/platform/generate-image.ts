import type { ToolResult } from '../agent-tool.ts';
import { failed } from '../tool-results.ts';
import { clip } from '../untrusted-text.ts';
import type { GenerateImage } from './platform-parts.ts';
import { type PlatformTool, stringArgument } from './tool-arguments.ts';

const MAX_PROMPT = 8_000;

/** Generates an image. A repeated call returns the same image. */
export const generateImage = (generate: GenerateImage, model: string | undefined): PlatformTool => ({
  name: 'generate_image',
  description: 'Generates one image from a description. The user sees the image; the result has its id (`ast_…`).',
  parameters: {
    type: 'object',
    properties: {
      prompt: { type: 'string', description: 'What the image shows' },
      size: { type: 'string', description: 'For example `1024x1024`', pattern: '^\\d{2,5}x\\d{2,5}$' },
    },
    required: ['prompt'],
    additionalProperties: false,
  },
  effect: 'idempotent',
  run: async (args, { owner, executionId, callId, signal }): Promise<ToolResult> => {
    const prompt = stringArgument(args, 'prompt');
    const size = stringArgument(args, 'size');
    if (prompt === undefined) return failed('The argument `prompt` is required.');
    const request = { owner, executionId, callId, prompt: clip(prompt, MAX_PROMPT), size, model };
    const { assets, usage } = await generate(request, signal);
    const shown = assets.map(({ id, mime_type, width, height }) => `${id} (${mime_type}, ${width}x${height})`);
    const text = shown.length === 0 ? 'No image was made.' : `Image: ${shown.join(', ')}`;
    const costElsewhereUsd = usage?.cost_usd ?? 0;
    return { text, assets, costElsewhereUsd, ...(assets.length === 0 && { isError: true }) };
  },
});
