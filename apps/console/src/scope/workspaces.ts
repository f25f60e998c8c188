import type { ChorusClient } from '@chorus/client';
import { queryOptions } from '@tanstack/react-query';

/** The workspaces that one is a member of; they don't depend on the scope. */
export const workspacesQuery = (client: ChorusClient) =>
  queryOptions({ queryKey: ['workspaces'], queryFn: () => Array.fromAsync(client.workspaces.all()) });
