import { KINDS, SPEECH_FORMATS, SPEECH_LIMITS, SPEECH_TYPES } from '@chorus/contract';
import { z } from 'zod';
import { defineEndpoint } from '../protocols/define-endpoint.ts';
import { namedModel } from '../protocols/named-model.ts';
import { errorFrame } from '../responses/openai-style.ts';
import { type SoundForm, streamSound } from '../responses/stream-sound.ts';

const { speed } = KINDS.speech.request.shape;
const voice = z.string().trim().min(1).max(100);

export const audioSpeech = defineEndpoint({
  kind: 'speech',
  path: '/audio/speech',
  summary: 'Speak a text',
  description:
    "The response is the audio, as it is generated. OpenAI's voice names work with every model, as its nearest voice. Models that cannot follow `instructions` ignore them, which `X-Ignored-Fields` tells.",
  body: z.looseObject({
    input: z.string().trim().min(1).max(SPEECH_LIMITS.textCharacters),
    model: namedModel,
    voice: z
      .union([voice, z.strictObject({ id: voice })])
      .nullish()
      .describe("One of OpenAI's voices, or of the model's"),
    instructions: z.string().trim().max(SPEECH_LIMITS.instructionCharacters).nullish(),
    response_format: z.enum(SPEECH_FORMATS).nullish().describe('Default: `mp3`'),
    speed: speed.unwrap().nullish().describe('Default: 1'),
    stream_format: z.enum(['audio', 'sse']).nullish().describe('Default: `audio`'),
  }),
  answer: z.string().describe('The audio'),
  answerType: 'audio/*',
  streams: z.union([
    z.object({ type: z.literal('speech.audio.delta'), audio: z.string().describe('Base64') }),
    z.object({
      type: z.literal('speech.audio.done'),
      usage: z.object({ input_tokens: z.int(), output_tokens: z.int(), total_tokens: z.int() }),
    }),
  ]),
  translate: ({ input, model, voice: asked, instructions, response_format, speed }) => ({
    input,
    model,
    speed: speed ?? 1,
    format: response_format ?? 'mp3',
    stream: true,
    metadata: {},
    ...(asked != null && { voice: typeof asked === 'string' ? asked : asked.id }),
    ...(instructions != null && { instructions }),
  }),
  presenter: () => () => undefined,
  streamer: ({ response_format, stream_format }) => {
    const type = SPEECH_TYPES[response_format ?? 'mp3'].stream;
    const form = stream_format === 'sse' ? FRAMES : { type };
    return (context, record, reader) => streamSound(context, record, reader, form);
  },
});

const FRAMES: SoundForm = {
  type: 'text/event-stream; charset=utf-8',
  frame: (bytes) => `data: ${JSON.stringify({ type: 'speech.audio.delta', audio: bytes.toString('base64') })}\n\n`,
  end(ended) {
    if (ended.status !== 'succeeded') return errorFrame(ended);
    const { input_tokens, output_tokens, total_tokens } = ended.usage;
    const usage = { input_tokens, output_tokens, total_tokens };
    return `data: ${JSON.stringify({ type: 'speech.audio.done', usage })}\n\n`;
  },
};
