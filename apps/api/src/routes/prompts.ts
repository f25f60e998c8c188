import { deletion, listOf, listQuery, type Prompt, prompt, promptCreate, promptPatch } from '@chorus/contract';
import { changePrompt, createPrompt as create, removePrompt } from '@chorus/conversations';
import type { PromptRecord } from '@chorus/database';
import { defineRoute } from '../define-route.ts';
import { unknownRecord } from '../http/unknown-record.ts';

const params = { prompt_id: 'prompt' } as const;

export const createPrompt = defineRoute({
  method: 'post',
  path: '/prompts',
  area: 'prompts',
  summary: 'Create a prompt',
  description: 'A text for messages. `{{name}}` in it is a variable, filled in when the prompt is used.',
  needs: 'write',
  body: promptCreate,
  answer: prompt,
  refuses: ['limit_reached'],
  handle: async ({ body, owner, services }) => toPrompt(await create(services.database, owner, body)),
});

export const listPrompts = defineRoute({
  method: 'get',
  path: '/prompts',
  area: 'prompts',
  summary: 'List prompts',
  description: 'Newest first. Members of a workspace share its prompts.',
  needs: 'read',
  query: listQuery,
  answer: listOf(prompt),
  handle: async ({ query, owner, services }) => {
    const page = await services.database.prompts.list(owner, query);
    return { object: 'list', ...page, data: page.data.map(toPrompt) };
  },
});

export const getPrompt = defineRoute({
  method: 'get',
  path: '/prompts/:prompt_id',
  area: 'prompts',
  summary: 'Get a prompt',
  needs: 'read',
  params,
  answer: prompt,
  handle: async ({ params, owner, services }) => {
    const record = await services.database.prompts.get(owner, params.prompt_id);
    if (record === null) throw unknownRecord('prompt');
    return toPrompt(record);
  },
});

export const updatePrompt = defineRoute({
  method: 'patch',
  path: '/prompts/:prompt_id',
  area: 'prompts',
  summary: 'Update a prompt',
  description: 'Editors can change their own prompts, admins all.',
  needs: 'write',
  params,
  body: promptPatch,
  answer: prompt,
  handle: async ({ params, body, owner, role, services }) =>
    toPrompt(await changePrompt(services.database, { owner, role }, params.prompt_id, body)),
});

export const deletePrompt = defineRoute({
  method: 'delete',
  path: '/prompts/:prompt_id',
  area: 'prompts',
  summary: 'Delete a prompt',
  description: 'Editors can delete their own prompts, admins all.',
  needs: 'write',
  params,
  answer: deletion,
  handle: async ({ params, actor, owner, role, services }) => {
    const store = { prompts: services.database.prompts, audit: services.accounts.audit };
    await services.deletions.carryOut({ kind: 'prompt', id: params.prompt_id, owner }, () =>
      removePrompt(store, { owner, role }, actor, params.prompt_id),
    );
    return { id: params.prompt_id, object: 'prompt', deleted: true };
  },
});

function toPrompt({ id, owner, name, content, created_at, updated_at }: PromptRecord): Prompt {
  return {
    id,
    object: 'prompt',
    name,
    content,
    user_id: owner.user_id,
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
  };
}
