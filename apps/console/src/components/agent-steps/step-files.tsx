import { Group } from '@mantine/core';
import { AssetLink } from '../asset-link.tsx';
import { filesOf, type StepCall } from './segments.ts';

/** Shows the files that calls created. */
export function StepFiles({ calls }: { calls: readonly StepCall[] }) {
  const ids = filesOf(calls);
  if (ids.length === 0) return null;
  return (
    <Group gap="xs">
      {ids.map((id) => (
        <AssetLink key={id} id={id} height={220} missing={null} />
      ))}
    </Group>
  );
}
