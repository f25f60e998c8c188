import { useQuery } from '@tanstack/react-query';
import { useScope } from '../../../scope/scope-context.tsx';

/** What API keys are called in a report: one's own by their name, those of other members by their id, which alone is known of them. */
export function useKeyNames(): (keyId: string | null) => string {
  const { client } = useScope();
  const { data: keys } = useQuery({
    queryKey: ['keys'],
    queryFn: ({ signal }) => Array.fromAsync(client.keys.all({}, { signal })),
  });
  return (keyId) => {
    if (keyId === null) return 'No key: people who had signed in';
    const key = keys?.find(({ id }) => id === keyId);
    return key ? `${key.name} (${key.prefix}…)` : keyId;
  };
}
