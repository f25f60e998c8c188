import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { ChatWire } from './fake-answer.ts';
import type { FakeBehavior } from './fake-behavior.ts';
import { formField, json, type Made, sendMade, spoken } from './fake-media.ts';
import { type FakeRequest, sendJson } from './fake-server.ts';
import { beganVideo, endingOf, fileOf } from './fake-video-queue.ts';
import { CLIP_MP4, FAKE_IMAGE } from './fixtures.ts';

export interface MediaWire {
  modelOf(request: FakeRequest): string;
  answer(request: FakeRequest, behavior: FakeBehavior, response: ServerResponse, videoMs: number): void;
  failure: ChatWire['failure'];
}

const words = ['one', 'two'].map((word, index) => ({ word, start: index, end: index + 0.5 }));

/** `POST /v1/text-to-speech/<voice>` and `POST /v1/speech-to-text`; errors under `detail`. */
export const elevenlabsWire: MediaWire = {
  modelOf: (request) => String(request.body.model_id ?? formField(request, 'model_id')),
  answer(request, behavior, response) {
    if (request.path.startsWith('/v1/text-to-speech/'))
      return sendMade(this, behavior, response, spoken(request.body.text));
    const heard = words.map(({ word, start, end }) => ({ text: word, type: 'word', start, end, speaker_id: 'a' }));
    const transcript = { language_code: 'eng', language_probability: 0.98, text: 'one two', words: heard };
    sendMade(this, behavior, response, json(transcript));
  },
  failure: ({ status, error }) => {
    const statuses: Record<number, string> = {
      400: 'content_against_policy',
      401: 'invalid_api_key',
      429: 'too_many_concurrent_requests',
      503: 'system_busy',
    };
    return { body: { detail: { status: statuses[status] ?? 'error', message: error.message } } };
  },
};

/** `POST /v1/listen` and `POST /v1/speak`, the model in the query; errors as `err_code` and `err_msg`. */
export const deepgramWire: MediaWire = {
  modelOf: ({ query }) => query.model ?? '',
  answer(request, behavior, response) {
    if (request.path === '/v1/speak') return sendMade(this, behavior, response, spoken(request.body.text));
    const alternatives = [
      {
        transcript: 'one two',
        confidence: 0.99,
        words: words.map((word) => ({ ...word, confidence: 1, punctuated_word: `${word.word},` })),
      },
    ];
    const transcript = {
      metadata: { request_id: 'fake', duration: 1.5, channels: 1 },
      results: { channels: [{ alternatives, detected_language: 'en' }] },
    };
    sendMade(this, behavior, response, json(transcript));
  },
  failure: ({ status, error }) => {
    const codes: Record<number, string> = { 401: 'INVALID_AUTH', 429: 'TOO_MANY_REQUESTS', 503: 'SERVICE_UNAVAILABLE' };
    return { body: { err_code: codes[status] ?? 'Bad Request', err_msg: error.message, request_id: 'fake' } };
  },
};

/**
 * Serves `POST /<model>` for images, and the queue for videos: submitted, then polled. Its responses contain URLs of
 * fal itself, like the real ones.
 */
export const falWire: MediaWire = {
  modelOf: ({ path }) => path.replace(/^\/(files\/)?(fal-ai\/)?/, '').replace(/\/requests\/.*$|\/[^/]*\.mp4$/, ''),
  answer(request, behavior, response, videoMs) {
    const { path, method, model } = request;
    if (path.startsWith('/files/')) {
      const film: Made = { type: 'video/mp4', body: CLIP_MP4 };
      return path.endsWith('.mp4') ? sendMade(this, fileOf(model), response, film) : void response.end(FAKE_IMAGE);
    }
    const [, id, end] = /\/requests\/([^/]+)(\/cancel)?$/.exec(path) ?? [];
    if (method === 'PUT' && end) return sendJson(response, 202, { status: 'CANCELLATION_REQUESTED' });
    if (method === 'GET' && id !== undefined) {
      const ending = endingOf(model, id);
      if (ending === 'pending') return sendJson(response, 400, { detail: 'Request is still in progress' });
      const url = `https://v3.fal.media/files/fal-ai/${model}/${id}.mp4`;
      const video = { url, content_type: 'video/mp4', width: 64, height: 64 };
      return sendMade(this, ending, response, json({ video, seed: 7 }));
    }
    if (model.includes('video')) {
      const request_id = randomUUID();
      beganVideo(request_id, videoMs);
      const response_url = `https://queue.fal.run/fal-ai/${model}/requests/${request_id}`;
      return sendMade(this, behavior, response, json({ request_id, response_url, status: 'IN_QUEUE' }));
    }
    const nsfw = model.includes('unsafe');
    const images = [{ url: 'https://v3.fal.media/files/fake.png', content_type: 'image/png', width: 512, height: 512 }];
    sendMade(this, behavior, response, json({ images, seed: 7, has_nsfw_concepts: [nsfw], prompt: 'x' }));
  },
  failure: ({ status, error }) =>
    status === 422 || /content_policy/.test(error.code ?? '')
      ? { body: { detail: [{ loc: ['body', 'prompt'], msg: error.message, type: 'content_policy_violation' }] } }
      : { body: { detail: error.message } },
};
