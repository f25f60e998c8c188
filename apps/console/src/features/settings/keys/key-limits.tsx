import type { ApiKey } from '@chorus/client';
import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useAccount } from '../../../account/account-gate.tsx';
import { Time } from '../../../components/time.tsx';
import { workspacesQuery } from '../../../scope/workspaces.ts';

/** What a key is limited to, beside what it may: where, how often, how long. */
export function KeyLimits({ apiKey: { workspace_id, rate_limit, expires_at } }: { apiKey: ApiKey }) {
  const { client } = useAccount();
  const { data: workspaces } = useQuery(workspacesQuery(client));
  const place = workspaces?.find(({ id }) => id === workspace_id)?.name ?? 'one workspace';
  if (workspace_id === null && rate_limit === null && expires_at === null) return <Text size="xs">none</Text>;
  return (
    <Text size="xs" component="div">
      {workspace_id !== null && <div>{place} alone</div>}
      {rate_limit !== null && <div>{rate_limit.toLocaleString()} a minute</div>}
      {expires_at !== null && (
        <div>
          until <Time at={expires_at} />
        </div>
      )}
    </Text>
  );
}
