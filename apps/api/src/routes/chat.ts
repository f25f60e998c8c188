import { type ChatRequest, chatExecution, chatRequest, type Owner } from '@chorus/contract';
import {
  agentOf,
  checkFields,
  regeneratedTurn,
  samplingSettingsOf,
  sessionTurn,
  statelessTurn,
  type TurnSettings,
  turnKnowledge,
  turnSettings,
} from '@chorus/conversations';
import { defineRoute } from '../define-route.ts';
import { checkAttachments } from '../delivery/check-attachments.ts';
import { PREFER, runWork } from '../delivery/run-work.ts';
import type { Services } from '../services.ts';

const KNOWN_FIELDS = new Set(Object.keys(chatRequest.shape));

export const createCompletion = defineRoute({
  method: 'post',
  path: '/chat/completions',
  area: 'chat',
  summary: 'Run a chat turn',
  description:
    "With `message` the turn belongs to a session (a new one, unless `session_id` names one); with `messages` it is OpenAI's request and stands alone; " +
    'with `regenerate_from` a message of a session is answered again. ' +
    "A field that would change the answer and cannot be honoured is refused with 400; harmless ones are ignored and named in `X-Ignored-Fields`. An agent (`X-Agent-ID`, else the session's) gives its instructions, and what the request leaves out. " +
    'With `knowledge`, or an agent that has `knowledge_tags`, the answer cites what your documents say: `[1]` in the text, a `citation` item of the output for each.',
  needs: 'run',
  executes: true,
  body: chatRequest,
  answer: chatExecution,
  streams: true,
  headers: {
    Prefer: PREFER,
  },
  answerHeaders: { 'X-Ignored-Fields': 'Names of the fields that were ignored.' },
  // The last two: how a waited request with `messages` hears that its execution failed.
  refuses: ['not_found', 'provider_error', 'timeout'],
  handle: async ({ body, owner, services, context, response }) => {
    const agent = await agentOf(services.database, owner, context.agent, body);
    const asked = { model: body.model, settings: samplingSettingsOf(body) };
    const knowledge = turnKnowledge(agent, body.knowledge);
    const common = { ...(await turnSettings(services, agent, asked)), ...(knowledge && { knowledge }) };
    const ignored = checkFields(body, { known: KNOWN_FIELDS, model: common.model });
    if (ignored.length > 0) response.setHeader('X-Ignored-Fields', ignored.join(', '));
    if (body.attachments !== undefined) await checkAttachments(services, owner, body.attachments, common.model);
    const work = workOf(services, owner, common, body, agent?.id ?? null);
    return runWork(context, work, body);
  },
});

function workOf({ database }: Services, owner: Owner, common: TurnSettings, body: ChatRequest, agentId: string | null) {
  const { message, messages, attachments, session_id, regenerate_from } = body;
  if (regenerate_from !== undefined)
    return regeneratedTurn(database, owner, common, { message_id: regenerate_from, session_id });
  if (message !== undefined)
    return sessionTurn(database, owner, common, { message, attachments, session_id, agent_id: agentId });
  return statelessTurn(common, messages ?? []);
}
