import { ChorusError, chatTitle } from '@chorus/contract';
import { chooseModel } from '@chorus/executions';
import { defineJobPlan } from './define-plan.ts';

export const chatTitleJob = defineJobPlan(chatTitle, {
  plan: async ({ session_id, model: asked }, { owner, path }, { config, database, registry }) => {
    const session = await database.sessions.get(owner, session_id);
    if (session === null) throw new ChorusError('not_found', 'Session not found.');
    if (session.message_count === 0) {
      throw new ChorusError('invalid_request', 'This session has no messages yet, so there is nothing to name.', {
        details: [{ path: `${path}.session_id`, message: 'must be a session with messages' }],
      });
    }
    const model = chooseModel(await registry.recentWorkers(), {
      pool: 'text',
      capability: 'chat',
      asked,
      configured: config.chat.titles.model ?? config.chat.defaultModel,
      path: `${path}.model`,
    });
    return { kind: 'chat.title', model, session_id, input: { model, session_id, replaces: session.title } };
  },
});
