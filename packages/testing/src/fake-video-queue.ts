import type { ServerResponse } from 'node:http';
import { CLIP_MP4 } from './clips.ts';
import type { ChatWire } from './fake-answer.ts';
import { behaviourOf, type FakeBehaviour } from './fake-behaviour.ts';
import { json, sendMade } from './fake-media.ts';
import { type FakeRequest, sendJson } from './fake-server.ts';

// A video that is handed in is asked for twice until it is there. A model's name spells how it goes: what stands at its beginning says how handing it
// in goes, what follows `then-` how asking for it ends (`never`: it never does), what follows `file-` how its download goes.

/** How often each was asked for. */
const asked = new Map<string, number>();

/** What follows a word in the name, up to the next one. */
function partOf(model: string, word: 'then' | 'file'): string {
  return new RegExp(`(?:^|-)${word}-(.*?)(?:-file-|@|$)`).exec(model)?.[1] ?? '';
}

/** What this asking for a video comes to. */
export function endingOf(model: string, id: string): FakeBehaviour | 'pending' {
  const times = (asked.get(id) ?? 0) + 1;
  asked.set(id, times);
  const how = partOf(model, 'then');
  const behaviour = behaviourOf(how);
  if (behaviour.once) return times === 1 ? behaviour : times === 2 ? 'pending' : behaviourOf('');
  return times === 1 || how === 'never' ? 'pending' : behaviour;
}

export function fileOf(model: string): FakeBehaviour {
  return behaviourOf(partOf(model, 'file'));
}

/** Google's long-running operations: `predictLongRunning`, `GET` of its name, `GET` of the file, which wants the key. False: not one of them. */
export function answerOperation(
  wire: Pick<ChatWire, 'failure'>,
  request: FakeRequest,
  behaviour: FakeBehaviour,
  response: ServerResponse,
): boolean {
  const { path, model, method, number } = request;
  if (method === 'POST' && path.endsWith(':predictLongRunning')) {
    sendMade(wire, behaviour, response, json({ name: `models/${model}/operations/op${number}x${process.pid}` }));
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
