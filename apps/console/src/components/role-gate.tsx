import { LockClosedIcon } from '@heroicons/react/24/outline';
import { Alert } from '@mantine/core';
import type { ReactNode } from 'react';
import { t } from '../i18n/i18n.ts';
import { type Role, useRole } from '../scope/use-role.ts';
import { roleLabel } from './statuses.ts';
import { Dimmed } from './text.tsx';

interface NotAllowedProps {
  minRole: Role;
  /** Completes "Only admins of this workspace can …". */
  action: string;
}

export function NotAllowed({ minRole, action }: NotAllowedProps) {
  const { role, isKnown } = useRole();
  if (!isKnown) return null;
  return (
    <Alert color="gray" icon={<LockClosedIcon />} title={t('components.onlyRolesCan', { minRole, action })}>
      {t('components.yourRoleIs', { role: roleLabel(role) })}
    </Alert>
  );
}

/** Renders its children for users with at least this role, and an explanation for everyone else. */
export function RoleGate({ children, ...rest }: NotAllowedProps & { children: ReactNode }) {
  const { isAtLeast } = useRole();
  return isAtLeast(rest.minRole) ? children : <NotAllowed {...rest} />;
}

/** Explains who may change a record, as in "Only its creator and admins can delete this." */
export function CreatorNote({ action }: { action: string }) {
  return <Dimmed>{t('components.onlyCreatorCan', { action })}</Dimmed>;
}
