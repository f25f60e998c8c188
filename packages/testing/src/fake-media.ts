import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { type ChatWire, sendFailure } from './fake-answer.ts';
import type { FakeBehavior } from './fake-behavior.ts';
import type { FakeRequest } from './fake-server.ts';
import { FAKE_IMAGE } from './fixtures.ts';

export interface Made {
  type: string;
  body: Buffer;
}

/** Returns fake speech: a tone of 10 ms per letter, 16 bits, 24 kHz. */
export function fakeSpeech(text: string): Buffer {
  const samples = new Int16Array(text.length * 240);
  for (let index = 0; index < samples.length; index++) samples[index] = 8_000 * Math.sin((index * Math.PI) / 60);
  return Buffer.from(samples.buffer);
}

export const spoken = (text: unknown): Made => ({ type: 'audio/pcm', body: fakeSpeech(String(text)) });

export const json = (value: unknown): Made => ({ type: 'application/json', body: Buffer.from(JSON.stringify(value)) });

/** Sends the media unless the model's name specifies a failure. `cut-after-…` stops in the middle. */
export function sendMade(
  wire: Pick<ChatWire, 'failure'>,
  behavior: FakeBehavior,
  response: ServerResponse,
  { type, body }: Made,
): void {
  if (behavior.kind === 'fail') {
    sendFailure(wire, behavior, response);
    return;
  }
  if (behavior.ending === 'hang') return;
  response.writeHead(200, { 'content-type': type, 'content-length': body.length });
  if (behavior.ending !== 'cut') response.end(body);
  else response.write(body.subarray(0, body.length / 2), () => response.destroy());
}

export function formField({ form }: FakeRequest, name: string): string {
  return String(form.find((field) => field.name === name)?.value ?? '');
}

/**
 * Returns media that chat providers generate, by OpenAI's paths or Google's methods. Null for other requests.
 * @param heard transcript of any sound sent to OpenAI's path
 */
export function madeBesideChat(request: FakeRequest, heard = 'one two'): Made | null {
  const { path, body, model } = request;
  switch (/[^/:]+$/.exec(path)?.[0]) {
    case 'generations':
      return imagesOf(3, 0);
    case 'edits':
      return imagesOf(3, 300);
    case 'speech':
      return spoken(body.input);
    case 'transcriptions':
    case 'translations':
      return transcriptOf(request, heard);
    case 'embeddings': {
      const values = [body.input].flat().map(String);
      const dimensions = body.dimensions as number | undefined;
      return json({
        object: 'list',
        model,
        data: values.map((value, index) => ({
          object: 'embedding',
          index,
          embedding: fakeVector(value, dimensions),
        })),
        usage: { prompt_tokens: values.length * 2, total_tokens: values.length * 2 },
      });
    }
    case 'embedContent':
      return json({ embedding: { values: googleVector(body) } });
    case 'batchEmbedContents':
      return json({ embeddings: (body.requests as GoogleEmbedding[]).map((one) => ({ values: googleVector(one) })) });
    case 'interactions':
      return json({ id: 'v1_fake', status: 'completed', steps: [{ content: [GOOGLE_TRANSCRIPT] }] });
    case 'generateContent': {
      if (model.includes('tts')) return json({ candidates: [googleSpeech(body)] });
      const inlineData = { mimeType: 'image/png', data: FAKE_IMAGE.toString('base64') };
      const shown = { content: { role: 'model', parts: [{ inlineData }] }, finishReason: 'STOP', index: 0 };
      const hidden = { content: {}, finishReason: 'IMAGE_SAFETY', index: 0 };
      return json({
        candidates: [model.includes('unsafe') ? hidden : shown],
        usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 1_290, totalTokenCount: 1_293 },
        modelVersion: model,
      });
    }
    default:
      return null;
  }
}

/** Whisper has times, but of words only on request. Other models have text and tokens. */
function transcriptOf(request: FakeRequest, text: string): Made {
  const x_groq = { id: 'x' };
  if (formField(request, 'response_format') !== 'verbose_json')
    return json({ text, usage: { type: 'tokens', input_tokens: 12, output_tokens: 3, total_tokens: 15 }, x_groq });
  const times = text.split(' ').map((word, start) => ({ word, start, end: start + 0.5 }));
  const segments = times.map(({ word, ...time }, id) => ({ ...SEGMENT, id, text: ` ${word}`, ...time }));
  const task = request.path.endsWith('translations') ? 'translate' : 'transcribe';
  const words = request.form.some(({ name, value }) => name === 'timestamp_granularities[]' && value === 'word');
  return json({
    task,
    language: 'english',
    duration: times.length - 0.5,
    text,
    segments,
    ...(words && { words: times }),
    x_groq,
  });
}

function googleSpeech({ contents }: FakeRequest['body']) {
  const text = (contents as { parts: { text: string }[] }[])[0]?.parts[0]?.text ?? '';
  const inlineData = { mimeType: 'audio/L16;codec=pcm;rate=24000', data: fakeSpeech(text).toString('base64') };
  return { content: { role: 'model', parts: [{ inlineData }] }, finishReason: 'STOP', index: 0 };
}

interface GoogleEmbedding {
  content?: { parts?: { text?: string }[] };
  outputDimensionality?: number;
}

function googleVector({ content, outputDimensionality }: GoogleEmbedding): number[] {
  return fakeVector(content?.parts?.[0]?.text ?? '', outputDimensionality);
}

function imagesOf(textTokens: number, imageTokens: number): Made {
  const input = textTokens + imageTokens;
  return json({
    created: 1_750_000_000,
    data: [{ b64_json: FAKE_IMAGE.toString('base64') }],
    usage: {
      input_tokens: input,
      input_tokens_details: { text_tokens: textTokens, image_tokens: imageTokens },
      output_tokens: 1_056,
      total_tokens: input + 1_056,
    },
  });
}

const GOOGLE_TRANSCRIPT = {
  type: 'text',
  text: 'one two',
  annotations: ['one', 'two'].map((text, start) => ({
    type: 'word_info',
    text,
    start_offset: `${start}s`,
    end_offset: `${start}.500s`,
  })),
};

const SEGMENT = {
  seek: 0,
  tokens: [1],
  temperature: 0,
  avg_logprob: -0.1,
  compression_ratio: 1,
  no_speech_prob: 0.01,
};

/**
 * Returns the vector of a text: one dimension per word, by the word's hash. Texts with common words are
 * similar.
 * @param dimensions default: 16
 */
export function fakeVector(text: string, dimensions = 16): number[] {
  const vector = new Array<number>(dimensions).fill(0.01);
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    const place = createHash('sha256').update(word).digest().readUInt32BE() % dimensions;
    vector[place] = (vector[place] ?? 0) + 1;
  }
  return vector;
}
