import { execution, voiceInterruption, voiceMeta, voiceMetaRequest, voiceRequest, voiceTicket } from '@chorus/contract';
import { defineRoute } from '../define-route.ts';
import { runVoice } from '../delivery/run-voice.ts';
import { PREFER } from '../delivery/run-work.ts';
import { interruptVoice } from '../voice/interrupt.ts';
import { readVoiceMeta } from '../voice/read-meta.ts';

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
    Accept:
      '`audio/*`, or a format such as `audio/ogg`, before anything else: the answer is the sound itself, as it is made.',
    Prefer: PREFER,
  },
  answerHeaders: {
    'X-Execution-ID': 'With sound: the execution that makes it.',
    'X-Session-ID': 'With sound: the session that the turn belongs to.',
  },
  refuses: ['not_found', 'session_locked'],
  handle: ({ body, context }) => runVoice(context, body),
});

export const createVoiceTicket = defineRoute({
  method: 'post',
  path: '/voice/tickets',
  area: 'voice',
  summary: 'Get a ticket for the voice socket',
  description:
    'For those who can send no headers with a socket, as browsers: the ticket lets in once, within 60 s, with the rights, the scope and the agent of this request.',
  needs: 'run',
  answer: voiceTicket,
  secret: true,
  rateClass: 'writes',
  handle: async ({ credential, owner, agent, services, context }) => {
    const scope = { scope_type: owner.scope, workspace_id: owner.workspace_id, agent_id: agent?.id ?? null };
    const { ticket, expires_at } = await services.accounts.tickets.issue(credential, scope);
    const base = context.addresses.baseUrl.replace(/^http/, 'ws');
    return {
      object: 'voice.ticket',
      ticket,
      expires_at: expires_at.toISOString(),
      url: `${base}/api/v1/voice/ws`,
    } as const;
  },
});

export const getVoiceMeta = defineRoute({
  method: 'post',
  path: '/voice/chat/meta',
  area: 'voice',
  summary: 'Look at what can be spoken, and at spoken turns',
  description:
    'Runs nothing. Models, voices, formats and limits; with `session_id` also what goes on in that session and its spoken turns, with `execution_id` that turn alone: transcript, what was heard, and the times of each stage.',
  needs: 'read',
  body: voiceMetaRequest,
  answer: voiceMeta,
  rateClass: 'reads',
  refuses: ['not_found'],
  handle: ({ body, owner, services }) => readVoiceMeta(services, owner, body),
});

export const interruptVoiceTurn = defineRoute({
  method: 'post',
  path: '/voice/interrupt/:session_id',
  area: 'voice',
  summary: 'Interrupt what is spoken in a session',
  description:
    'As if the user had begun to speak: the answer stops within moments, whichever process speaks it, its turn is cancelled, and its message is cut to what was heard. ' +
    'Where no voice socket is open, the turn that runs is cancelled. Where none runs, nothing happens, and the answer says so.',
  needs: 'run',
  params: { session_id: 'session' },
  answer: voiceInterruption,
  rateClass: 'writes',
  handle: ({ params, owner, services }) => interruptVoice(services, owner, params.session_id),
});
