import type { Folder } from '@chorus/client';
import { useQuery } from '@tanstack/react-query';
import { useScope } from '../../../scope/scope-context.tsx';

const NO_FOLDERS: readonly Folder[] = [];

/** Returns the user's folders by name. */
export function useFolders(): readonly Folder[] {
  const { client, scopeKey } = useScope();
  const { data } = useQuery({
    queryKey: [scopeKey, 'folders'],
    queryFn: async ({ signal }) => {
      const folders = await Array.fromAsync(client.folders.all({ limit: 100 }, { signal }));
      return folders.sort((a, b) => a.name.localeCompare(b.name));
    },
  });
  return data ?? NO_FOLDERS;
}
