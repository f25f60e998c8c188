import { execution, voiceRequest } from '@chorus/contract';
import { defineRoute } from '../define-route.ts';
import { runVoice } from '../delivery/run-voice.ts';

export const runVoiceTurn = defineRoute({
  method: 'post',
  path: '/voice/chat',
  area: 'voice',
  summary: 'Run a turn that is spoken',
  description:
    'What is said comes as a file with sound, as an asset or as `text`; it is answered by a chat turn of the session (a new one, unless `session_id` names one), and the answer is spoken. ' +
    'The output is what was heard, the text, and an asset with the sound. In a stream `audio.delta` events give the sound in base64 as it is made, beside `text.delta`: ' +
    '`offset` is how many bytes came before, and after a `text.reset` both begin anew. `usage` is that of hearing and speaking; the answer is an execution of its own, the one of the message.',
  needs: 'run',
  executes: true,
  file: { as: 'asset_id' },
  body: voiceRequest,
  answer: execution,
  streams: true,
  headers: {
    Prefer:
      '`respond-async`: the queued execution at once. `wait=<s>`: how long the answer waits for the end, 0 to 300, default 60.',
  },
  refuses: ['not_found', 'session_locked'],
  handle: ({ body, context }) => runVoice(context, body),
});
