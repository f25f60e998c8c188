import { Badge } from '@mantine/core';

const COLORS: Readonly<Record<string, string>> = {
  succeeded: 'teal',
  ready: 'teal',
  completed: 'teal',
  active: 'teal',
  failed: 'red',
  revoked: 'red',
  running: 'indigo',
  processing: 'indigo',
};

/** The state of what runs or ran, or of a record. */
export function StatusBadge({ status }: { status: string }) {
  return (
    <Badge variant="dot" color={COLORS[status] ?? 'gray'} tt="none" flex="none">
      {status}
    </Badge>
  );
}
