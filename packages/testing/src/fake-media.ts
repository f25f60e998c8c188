import type { ServerResponse } from 'node:http';
import { type ChatWire, sendFailure } from './fake-answer.ts';
import type { FakeBehaviour } from './fake-behaviour.ts';
import { FAKE_IMAGE } from './fake-image.ts';
import type { FakeRequest } from './fake-server.ts';
import { fakeVector } from './fake-vector.ts';

/** What a fake made, as it goes over the wire. */
export interface Made {
  type: string;
  body: Buffer;
}

/** What the fakes speak: a tone of 10 ms for each letter, 16 bits, 24,000 a second. */
export function fakeSpeech(text: string): Buffer {
  const samples = new Int16Array(text.length * 240);
  for (let index = 0; index < samples.length; index++) samples[index] = 8_000 * Math.sin((index * Math.PI) / 60);
  return Buffer.from(samples.buffer);
}

export const spoken = (text: unknown): Made => ({ type: 'audio/pcm', body: fakeSpeech(String(text)) });

export const json = (value: unknown): Made => ({ type: 'application/json', body: Buffer.from(JSON.stringify(value)) });

/** Sends what was made, unless the model's name spells a failure; `cut-after-…` breaks it in the middle. */
export function sendMade(
  wire: Pick<ChatWire, 'failure'>,
  behaviour: FakeBehaviour,
  response: ServerResponse,
  { type, body }: Made,
): void {
  if (behaviour.kind === 'fail') {
    sendFailure(wire, behaviour, response);
    return;
  }
  if (behaviour.ending === 'hang') return;
  response.writeHead(200, { 'content-type': type, 'content-length': body.length });
  if (behaviour.ending !== 'cut') response.end(body);
  else response.write(body.subarray(0, body.length / 2), () => response.destroy());
}

/** A field of a form that was sent; empty where there is none. */
export function formField({ form }: FakeRequest, name: string): string {
  return String(form.find((field) => field.name === name)?.value ?? '');
}

/**
 * What those who chat make besides, by OpenAI's paths or Google's methods; null for anything else.
 *
 * @param heard what is understood of any sound that comes to OpenAI's path
 */
export function madeBesideChat({ path, body, model }: FakeRequest, heard = 'one two'): Made | null {
  switch (/[^/:]+$/.exec(path)?.[0]) {
    case 'generations':
      return imagesOf(3, 0);
    case 'edits':
      return imagesOf(3, 300);
    case 'speech':
      return spoken(body.input);
    case 'transcriptions': {
      const segment = (text: string, start: number) => ({ ...SEGMENT, id: start, text, start, end: start + 0.5 });
      const segments = [segment('one', 0), segment('two', 1)];
      return json({
        task: 'transcribe',
        language: 'english',
        duration: 1.5,
        text: heard,
        segments,
        x_groq: { id: 'x' },
      });
    }
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
      return json({ id: 'v1_fake', status: 'completed', steps: [{ content: [{ type: 'text', text: 'one two' }] }] });
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

/** How Google speaks. */
function googleSpeech({ contents }: FakeRequest['body']) {
  const text = (contents as { parts: { text: string }[] }[])[0]?.parts[0]?.text ?? '';
  const inlineData = { mimeType: 'audio/L16;codec=pcm;rate=24000', data: fakeSpeech(text).toString('base64') };
  return { content: { role: 'model', parts: [{ inlineData }] }, finishReason: 'STOP', index: 0 };
}

/** How Google is asked for one vector. */
interface GoogleEmbedding {
  content?: { parts?: { text?: string }[] };
  outputDimensionality?: number;
}

function googleVector({ content, outputDimensionality }: GoogleEmbedding): number[] {
  return fakeVector(content?.parts?.[0]?.text ?? '', outputDimensionality);
}

/** OpenAI's answer of one image, and what was read for it. */
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

const SEGMENT = {
  seek: 0,
  tokens: [1],
  temperature: 0,
  avg_logprob: -0.1,
  compression_ratio: 1,
  no_speech_prob: 0.01,
};
