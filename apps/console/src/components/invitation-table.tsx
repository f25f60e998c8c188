import { Button, Table } from '@mantine/core';
import { t } from '../i18n/i18n.ts';
import { rich } from '../i18n/rich.tsx';
import { Time } from './format.tsx';
import { roleLabel } from './statuses.ts';

interface InvitationTableProps {
  invitations: readonly { id: string; email: string; role?: string; expires_at: string }[];
  onRevoke: (id: string) => void;
}

/** Open invitations: to the platform, or with roles to a workspace. */
export function InvitationTable({ invitations, onRevoke }: InvitationTableProps) {
  return (
    <Table verticalSpacing="sm">
      <Table.Tbody>
        {invitations.map(({ id, email, role, expires_at }) => (
          <Table.Tr key={id}>
            <Table.Td style={{ overflowWrap: 'anywhere' }}>{email}</Table.Td>
            {role !== undefined && <Table.Td>{roleLabel(role)}</Table.Td>}
            <Table.Td>{rich('components.until', { time: <Time at={expires_at} /> })}</Table.Td>
            <Table.Td w={110}>
              <Button size="compact-sm" variant="subtle" color="red" onClick={() => onRevoke(id)}>
                {t('components.revoke')}
              </Button>
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
