import { voiceInterruption, voiceMeta, voiceMetaRequest, voiceTicket } from '@chorus/contract';
import { defineRoute } from '../define-route.ts';
import { interruptVoice } from '../voice/interrupt.ts';
import { readVoiceMeta } from '../voice/read-meta.ts';

export const createVoiceTicket = defineRoute({
  method: 'post',
  path: '/voice/tickets',
  area: 'voice',
  summary: 'Create a ticket for the voice socket',
  description:
    "For clients that can't send headers with a WebSocket, such as browsers. The ticket works once, within 60 s, with the rights, scope and agent of this request.",
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
  summary: 'Get voice options and past spoken turns',
  description:
    'Models, voices, formats and limits. With `session_id`, also the state of that session and its spoken turns; with `execution_id`, that turn only: transcript, how much of the answer was played, and the time of each stage.',
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
  summary: "Interrupt a session's spoken answer",
  description:
    'As if the user had started to speak: on any process, the answer stops within moments, its turn is cancelled, and its message is cut to what was played. ' +
    'Without an open voice socket, the running turn is cancelled. If none runs, nothing happens, and the response says so.',
  needs: 'run',
  params: { session_id: 'session' },
  answer: voiceInterruption,
  rateClass: 'writes',
  handle: ({ params, owner, services }) => interruptVoice(services, owner, params.session_id),
});
