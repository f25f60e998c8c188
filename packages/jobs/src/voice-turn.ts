import { newId, type Owner, type VoiceTurnInput, voiceTurn } from '@chorus/contract';
import { checkUnlocked, planTurn } from '@chorus/conversations';
import type { Database } from '@chorus/database';
import { chooseModel, type Work } from '@chorus/executions';
import { chooseSpeaker } from './choose-speaker.ts';
import { defineJobPlan } from './define-plan.ts';
import { checkSound } from './requested-files.ts';
import { agentOf, spokenTurn, turnSettings, withAgentTools } from './turn-settings.ts';

export const voiceTurnJob = defineJobPlan(voiceTurn, {
  plan: async (request, requester, services) => {
    const { owner, path } = requester;
    const { database, registry, config } = services;
    const { session_id, text, asset_id } = request;
    const agent = await agentOf(database, owner, requester.agent, { session_id });
    const asked = { model: request.model, path };
    const chosen = await turnSettings(services, agent, { ...asked, settings: {} });
    const settings = spokenTurn(await withAgentTools(services, agent, chosen, asked));
    const { speech_model, voice, format = 'mp3', stream } = request;
    const speaker = await chooseSpeaker(services, { agent, path }, { model: speech_model, voice }, 'speech_model');
    const speech = { ...speaker, format, stream };
    if (asset_id !== undefined) await checkSound(services, owner, asset_id, `${path}.asset_id`);
    const said: VoiceTurnInput['said'] =
      text !== undefined
        ? { type: 'text', text }
        : {
            type: 'audio',
            asset_id: asset_id as string,
            model: chooseModel(await registry.recentWorkers(), {
              pool: 'voice',
              capability: 'transcription',
              asked: request.transcription_model,
              configured: config.voice.transcriptionModel,
              path: `${path}.transcription_model`,
            }),
          };
    const chat = {
      settings,
      opens: session_id === undefined,
      agent_id: agent?.id ?? null,
      api_key_id: requester.apiKeyId,
      request_id: requester.requestId,
      ...planTurn(session_id),
    };
    // Refuse a locked session now, although the chat turn only locks it later.
    if (session_id !== undefined) await checkUnlocked(database, owner, session_id);
    return workOf(database, owner, { said, chat: { ...chat, execution_id: newId('job') }, speech });
  },

  /**
   * Reuses finished steps: the transcript, and a chat turn that succeeded or still runs. Reruns a failed turn
   * with its messages, and starts a new one if there was none.
   */
  repeat: async (record, { owner }, { database }) => {
    const { said: asked, chat: planned, speech } = voiceTurn.input.parse(record.input);
    const heard = record.output.find(({ type }) => type === 'transcript');
    const said = asked.type === 'audio' && heard?.type === 'transcript' ? { ...asked, heard } : asked;
    const { before, ...chat } = planned;
    const turn =
      (await database.executions.get(owner, chat.execution_id)) ??
      (before?.type === 'failed' ? await database.executions.get(owner, before.execution_id) : null);
    if (turn === null) {
      const opens = chat.opens && (await database.sessions.get(owner, chat.session_id)) === null;
      const fresh = { ...chat, opens, ...planTurn(opens ? undefined : chat.session_id), execution_id: newId('job') };
      return workOf(database, owner, { said, chat: fresh, speech });
    }
    if (turn.status !== 'failed' && turn.status !== 'cancelled')
      return workOf(database, owner, { said, chat: { ...chat, before: { type: 'begun' } }, speech });
    const failed = { type: 'failed', execution_id: turn.id } as const;
    const again = { ...chat, opens: false, execution_id: newId('job'), before: failed };
    return workOf(database, owner, { said, chat: again, speech });
  },
});

function workOf(database: Database, owner: Owner, input: VoiceTurnInput): Work<'voice.turn'> {
  const { session_id, assistant_message_id: message_id, opens, before, settings } = input.chat;
  const locks = !opens && before?.type !== 'begun';
  return {
    kind: 'voice.turn',
    model: settings.model,
    input,
    session_id,
    message_id,
    ...(locks && { check: () => checkUnlocked(database, owner, session_id) }),
  };
}
