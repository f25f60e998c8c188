import {
  ChorusError,
  KEYED_PROVIDERS,
  type KeyedProvider,
  listOf,
  providerEntry,
  providerKeySet,
  providerKeyTest,
  providerTestResult,
} from '@chorus/contract';
import { defineRoute } from '../define-route.ts';
import { listProviders, removeProviderKey, setProviderKey, testProviderKey } from '../providers/provider-keys.ts';

const params = { provider: 'provider' } as const;

export const getProviders = defineRoute({
  method: 'get',
  path: '/providers',
  area: 'operations',
  summary: 'List providers and their keys',
  description:
    'For operators; API keys need `operator`. Keys are stored encrypted and never returned; of a stored one, the last four characters are shown.',
  needs: 'operate',
  answer: listOf(providerEntry),
  handle: async ({ services }) => ({
    object: 'list',
    data: await listProviders(services),
    has_more: false,
    next_cursor: null,
  }),
});

export const changeProvider = defineRoute({
  method: 'patch',
  path: '/providers/:provider',
  area: 'operations',
  summary: "Store a provider's key",
  description:
    'Encrypted, and used by every process within a second, without a restart. 409 if the environment sets it (`OPENAI_API_KEY`, …), which wins. ' +
    'Without `api_key`, a stored one stays, unless `base_url` changes.',
  needs: 'operate',
  params,
  body: providerKeySet,
  secret: true,
  answer: providerEntry,
  refuses: ['conflict'],
  handle: ({ params, body, actor, services }) => setProviderKey(services, actor, known(params.provider), body),
});

export const deleteProvider = defineRoute({
  method: 'delete',
  path: '/providers/:provider',
  area: 'operations',
  summary: "Remove a provider's stored key",
  needs: 'operate',
  params,
  answer: providerEntry,
  handle: ({ params, actor, services }) => removeProviderKey(services, actor, known(params.provider)),
});

export const testProvider = defineRoute({
  method: 'post',
  path: '/providers/:provider/test',
  area: 'operations',
  summary: "Test a provider's key",
  description: 'Lists the models of the provider, which costs nothing. An empty body tests the key in use.',
  needs: 'operate',
  params,
  body: providerKeyTest,
  secret: true,
  answer: providerTestResult,
  handle: ({ params, body, services }) => testProviderKey(services, known(params.provider), body),
});

function known(name: string): KeyedProvider {
  const found = KEYED_PROVIDERS.find((one) => one === name);
  if (found === undefined) throw new ChorusError('not_found', `There is no provider ${name}.`);
  return found;
}
