import type { Model } from '@chorus/client';
import { useQuery } from '@tanstack/react-query';
import { useScope } from '../scope/scope-context.tsx';

const NONE: readonly Model[] = [];

/** The models that can be run now and can do something. */
export function useModels(capability: Model['capabilities'][number]): readonly Model[] {
  const { client } = useScope();
  const { data = NONE } = useQuery({
    queryKey: ['models'],
    queryFn: async ({ signal }) => (await client.models.list({ signal })).data,
  });
  return data.filter(({ capabilities }) => capabilities.includes(capability));
}
