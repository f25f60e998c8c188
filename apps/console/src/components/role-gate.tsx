import { LockClosedIcon } from '@heroicons/react/24/outline';
import { Alert } from '@mantine/core';
import type { ReactNode } from 'react';
import { type Role, useRole } from '../scope/use-role.ts';
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
    <Alert color="gray" icon={<LockClosedIcon />} title={`Only ${minRole}s of this workspace can ${action}`}>
      Your role here is {role}. An admin can change it.
    </Alert>
  );
}

/** Renders its children for users with at least this role, and an explanation for everyone else. */
export function RoleGate({ children, ...rest }: NotAllowedProps & { children: ReactNode }) {
  const { isAtLeast } = useRole();
  return isAtLeast(rest.minRole) ? children : <NotAllowed {...rest} />;
}

/** Explains who may change a record, as in "Only the person who added this and admins can delete it." */
export function CreatorNote({ did, action }: { did: string; action: string }) {
  return (
    <Dimmed>
      Only the person who {did} this and admins can {action} it.
    </Dimmed>
  );
}
