import type { ServerResponse } from 'node:http';
import type { ChatWire } from './fake-answer.ts';
import { behaviorOf, type FakeBehavior } from './fake-behavior.ts';
import { json, sendMade } from './fake-media.ts';
import { type FakeRequest, sendJson } from './fake-server.ts';
import { CLIP_MP4 } from './fixtures.ts';

// The second poll returns the video, or the first one after `videoMs`. The model's name specifies failures: of the
// submission at its start, of polling after `then-` (`never` for no end), and of the download after `file-`.

const asked = new Map<string, number>();
const readyAt = new Map<string, number>();

/** Notes a new video, which takes this long. 0: until its second poll. */
export function beganVideo(id: string, ms: number): void {
  if (ms > 0) readyAt.set(id, performance.now() + ms);
}

function partOf(model: string, word: 'then' | 'file'): string {
  return new RegExp(`(?:^|-)${word}-(.*?)(?:-file-|@|$)`).exec(model)?.[1] ?? '';
}

export function endingOf(model: string, id: string): FakeBehavior | 'pending' {
  const ready = readyAt.get(id);
  if (ready !== undefined && performance.now() < ready) return 'pending';
  const times = (asked.get(id) ?? (ready === undefined ? 0 : 1)) + 1;
  asked.set(id, times);
  const how = partOf(model, 'then');
  const behavior = behaviorOf(how);
  if (behavior.once) return times === 1 ? behavior : times === 2 ? 'pending' : behaviorOf('');
  return times === 1 || how === 'never' ? 'pending' : behavior;
}

export function fileOf(model: string): FakeBehavior {
  return behaviorOf(partOf(model, 'file'));
}

/**
 * Serves Google's long-running operations: `predictLongRunning`, `GET` of its name, and `GET` of the file with
 * the key. Returns false for other requests.
 */
export function answerOperation(
  wire: Pick<ChatWire, 'failure'>,
  request: FakeRequest,
  behavior: FakeBehavior,
  response: ServerResponse,
  videoMs: number,
): boolean {
  const { path, model, method, number } = request;
  if (method === 'POST' && path.endsWith(':predictLongRunning')) {
    const name = `models/${model}/operations/op${number}x${process.pid}`;
    beganVideo(`${request.headers.host}/${name}`, videoMs);
    sendMade(wire, behavior, response, json({ name }));
    return true;
  }
  if (method !== 'GET') return false;
  const name = /\/(models\/[^/]+\/operations\/[^/]+)$/.exec(path)?.[1];
  if (name !== undefined) {
    const ending = endingOf(model, `${request.headers.host}/${name}`);
    const host = 'https://generativelanguage.googleapis.com/v1beta';
    const uri = `${host}/files/${model}:download?alt=media`;
    if (ending === 'pending') sendJson(response, 200, { name });
    else if (ending.error.code === 'content_policy_violation') {
      const refused = {
        raiMediaFilteredCount: 1,
        raiMediaFilteredReasons: ['We encountered an issue with your prompt.'],
      };
      sendJson(response, 200, { name, done: true, response: { generateVideoResponse: refused } });
    } else if (ending.status === 500)
      sendJson(response, 200, { name, done: true, error: { code: 13, message: 'Video generation failed inside.' } });
    else
      sendMade(
        wire,
        ending,
        response,
        json({ name, done: true, response: { generateVideoResponse: { generatedSamples: [{ video: { uri } }] } } }),
      );
    return true;
  }
  if (!path.includes('/files/')) return false;
  if (path.endsWith(':download')) {
    response.writeHead(302, { location: `/stored/files/${model}.mp4` });
    response.end();
  } else sendMade(wire, fileOf(model), response, { type: 'video/mp4', body: CLIP_MP4 });
  return true;
}
