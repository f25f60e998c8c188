import type { Agent, Model, Prompt } from '@chorus/client';
import { type UseQueryResult, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { t } from '../i18n/i18n.ts';
import { useScope } from '../scope/scope-context.tsx';
import { notifySuccess } from './notify.ts';

/** The query of the user's custom instructions. */
export const INSTRUCTIONS_KEY = ['me', 'instructions'];

export function useAgents(): UseQueryResult<Agent[]> {
  const { client, scopeKey } = useScope();
  return useQuery({
    queryKey: [scopeKey, 'agents'],
    queryFn: ({ signal }) => Array.fromAsync(client.agents.all({}, { signal })),
  });
}

export function usePrompts({ enabled = true } = {}): UseQueryResult<Prompt[]> {
  const { client, scopeKey } = useScope();
  return useQuery({
    queryKey: [scopeKey, 'prompts'],
    queryFn: ({ signal }) => Array.fromAsync(client.prompts.all({}, { signal })),
    enabled,
  });
}

const NO_MODELS: readonly Model[] = [];

export function useModels(capability: Model['capabilities'][number]): readonly Model[] {
  const { client } = useScope();
  const { data = NO_MODELS } = useQuery({
    queryKey: ['models'],
    queryFn: async ({ signal }) => (await client.models.list({ signal })).data,
  });
  return data.filter(({ capabilities }) => capabilities.includes(capability));
}

interface KnownTags {
  tags: string[];
  /** A note that older documents may have other tags; undefined if they do not. */
  note: string | undefined;
}

const NO_TAGS: KnownTags = { tags: [], note: undefined };

/** Suggests the tags of the newest 100 documents. */
export function useKnownTags(): KnownTags {
  const { client, scopeKey } = useScope();
  const { data } = useQuery({
    queryKey: [scopeKey, 'knowledge', 'tags'],
    queryFn: async ({ signal }) => {
      const { data: entries, next_cursor } = await client.knowledge.list({ limit: 100 }, { signal });
      const note = next_cursor === null ? undefined : t('common.olderTags');
      return { tags: [...new Set(entries.flatMap(({ tags }) => tags))].sort(), note };
    },
  });
  return data ?? NO_TAGS;
}

/** Saves a copy of a conversation, message, or document to the archive. */
export function useArchive(type: 'session' | 'message' | 'knowledge', id: string) {
  const { client, scopeKey } = useScope();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => client.archive.create({ from: { type, id } }),
    onSuccess: ({ title }) => {
      notifySuccess(t('common.savedToArchive', { title }));
      queryClient.invalidateQueries({ queryKey: [scopeKey, 'archive'] });
    },
  });
}
