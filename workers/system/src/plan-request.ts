import {
  type BatchBody,
  type BatchKind,
  type ChatRequest,
  chatRequest,
  type JobKind,
  type Owner,
  type WorkerHealth,
} from '@chorus/contract';
import { checkFields, checkSettings, samplingSettingsOf, toConversation } from '@chorus/conversations';
import type { Database } from '@chorus/database';
import { chooseModel } from '@chorus/executions';
import { type IrisKind, type IrisRequests, planIris } from '@chorus/iris';

const CHAT_FIELDS = new Set(Object.keys(chatRequest.shape));

export interface PlanningParts {
  database: Pick<Database, 'assets'>;
  /** The workers that are known now. */
  workers(): Promise<readonly WorkerHealth[]>;
  /** The default models that are configured; null: the first that the workers have. */
  defaults: { chatModel: string | null; imageModel: string | null; videoModel: string | null };
}

interface Planned {
  kind: JobKind;
  model: string | null;
  input: Record<string, unknown>;
}

/**
 * Makes of a batch's requests what runs, by the functions that the routes use.
 *
 * @returns plans one; it throws what the route would: `model_not_found`, `invalid_request`, `overloaded` while no worker is known, `store_unavailable`
 */
export function createRequestPlanner({ database, workers, defaults }: PlanningParts) {
  const iris = { assets: database.assets, workers, defaults };
  return async <K extends BatchKind>(kind: K, request: BatchBody<K>, owner: Owner, at: string): Promise<Planned> => {
    if (kind === 'chat.completion') return planChat(request as ChatRequest, at);
    return planIris(iris, kind as IrisKind, owner, request as IrisRequests[IrisKind], at);
  };

  async function planChat(request: ChatRequest, at: string): Promise<Planned> {
    const known = await workers();
    const model = chooseModel(known, {
      pool: 'text',
      capability: 'chat',
      asked: request.model,
      configured: defaults.chatModel,
      path: `${at}.model`,
    });
    checkFields(request, { known: CHAT_FIELDS, model, at });
    const settings = samplingSettingsOf(request);
    checkSettings(known, model, settings, at);
    const messages = toConversation(request.messages ?? [], at);
    const { knowledge } = request;
    const input = {
      model,
      settings,
      ...(knowledge && { knowledge }),
      source: { type: 'messages', messages },
    };
    return { kind: 'chat.completion', model, input };
  }
}
