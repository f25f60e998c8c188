import {
  ChorusError,
  type Execution,
  JOBS,
  newId,
  type Owner,
  type VoiceRequest,
  type VoiceTurnInput,
} from '@chorus/contract';
import { agentOf, checkTurn, planTurn, spokenTurn, turnSettings } from '@chorus/conversations';
import type { ExecutionRecord } from '@chorus/database';
import { chooseModel, chooseVoice } from '@chorus/executions';
import type { ScopedContext } from '../http/request-context.ts';
import type { Services } from '../services.ts';
import { acceptedSound } from './accepted-sound.ts';
import { wantsSound } from './deliver.ts';
import { runWork, type Work } from './run-work.ts';

/** Runs a turn that is heard or read, answered and spoken, and answers the way the caller chose. */
export async function runVoice(context: ScopedContext, request: VoiceRequest): Promise<Execution | undefined> {
  const sound = wantsSound(context, request.stream);
  const work = await planVoice(context, request);
  // The session is locked when its chat turn begins; one that is locked now is told of at once.
  await work.check?.();
  return runWork(context, work, request, { sound });
}

async function planVoice(context: ScopedContext, request: VoiceRequest): Promise<Work<'voice.turn'>> {
  const { services, owner, requestId, credential } = context;
  const { session_id, text, asset_id } = request;
  const agent = await agentOf(services.database, owner, context.agent, { session_id });
  const settings = spokenTurn(await turnSettings(services, agent, { model: request.model, settings: {} }));
  const workers = await services.registry.recentWorkers();
  const model = (capability: 'speech' | 'transcription', asked: string | undefined, configured: string | null) =>
    chooseModel(workers, { pool: 'voice', capability, asked, configured, path: `body.${capability}_model` });
  const { speechModel, transcriptionModel } = services.config.voice;
  const speaker = model('speech', request.speech_model, speechModel);
  const speech = {
    model: speaker,
    voice: chooseVoice(
      workers.flatMap(({ voices = [] }) => voices),
      {
        model: speaker,
        asked: request.voice ?? agent?.voice ?? null,
        path: request.voice === undefined ? 'agent.voice' : 'body.voice',
      },
    ),
    format: request.format ?? acceptedSound(context.request.headers.accept) ?? 'mp3',
    stream: request.stream || wantsSound(context, request.stream),
  };
  const said: VoiceTurnInput['said'] =
    text !== undefined
      ? { type: 'text', text }
      : {
          type: 'audio',
          asset_id: await soundOf(services, owner, asset_id as string),
          model: model('transcription', request.transcription_model, transcriptionModel),
        };
  const chat = {
    settings,
    opens: session_id === undefined,
    agent_id: agent?.id ?? null,
    api_key_id: credential.key?.id ?? null,
    request_id: requestId,
    ...planTurn(session_id),
  };
  return workOf(services.database, owner, { said, chat: { ...chat, execution_id: newId('job') }, speech });
}

/**
 * The same work again, for a new execution. What the old one has done is not done again: what it heard is known, its chat turn is followed where it succeeded or still
 * runs, and else runs again with its messages. Where it did not come to a chat turn, a new one is begun, in the session that was to be opened, too.
 */
export async function repeatedVoice(
  { database }: Services,
  owner: Owner,
  record: ExecutionRecord,
): Promise<Work<'voice.turn'>> {
  const { said: asked, chat: planned, speech } = JOBS['voice.turn'].input.parse(record.input);
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
}

function workOf(database: Services['database'], owner: Owner, input: VoiceTurnInput): Work<'voice.turn'> {
  const { session_id, assistant_message_id, opens, before, settings } = input.chat;
  const locks = !opens && before?.type !== 'begun';
  return {
    kind: 'voice.turn',
    model: settings.model,
    prepare: () => ({ input, session_id, message_id: assistant_message_id }),
    ...(locks && { check: () => checkTurn(database, owner, session_id) }),
  };
}

/** @throws {ChorusError} invalid_request where the asset is none of the scope, or has no sound */
async function soundOf({ database }: Services, owner: Owner, id: string): Promise<string> {
  const asset = await database.assets.get(owner, id);
  // A container of moving pictures may hold nothing but sound.
  if (asset !== null && (asset.kind === 'audio' || asset.kind === 'video')) return id;
  const message = asset === null ? 'names no asset of this scope' : `must name a sound; this is ${asset.mime_type}`;
  const path = 'body.asset_id';
  throw new ChorusError('invalid_request', `${path}: ${message}`, { details: [{ path, message }] });
}
