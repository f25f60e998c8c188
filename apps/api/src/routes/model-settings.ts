import { modelSettings, modelSettingsPatch } from '@chorus/contract';
import { defineRoute } from '../define-route.ts';
import { changeModelSettings, readModelSettings } from '../providers/model-settings.ts';

export const getModelSettings = defineRoute({
  method: 'get',
  path: '/model-settings',
  area: 'operations',
  summary: 'Get the default models and fallbacks',
  description: 'For operators; API keys need `operator`.',
  needs: 'operate',
  answer: modelSettings,
  handle: ({ services }) => readModelSettings(services),
});

export const patchModelSettings = defineRoute({
  method: 'patch',
  path: '/model-settings',
  area: 'operations',
  summary: 'Change the default models and fallbacks',
  description:
    'Used by every process within a second. 409 for a setting of the environment (`DEFAULT_MODEL`, `FALLBACKS`, …), which wins. Agents and requests that name a model are not affected.',
  needs: 'operate',
  body: modelSettingsPatch,
  answer: modelSettings,
  refuses: ['conflict'],
  handle: ({ body, actor, services }) => changeModelSettings(services, actor, body),
});
