import { LockClosedIcon } from '@heroicons/react/24/outline';
import { Alert } from '@mantine/core';
import type { ReactNode } from 'react';
import { type Role, useRole } from '../scope/use-role.ts';

interface NotAllowedProps {
  least: Role;
  /** As in `Only admins see the audit log`. */
  what: string;
}

/** In place of what one's role does not cover: why it is not there. */
export function NotAllowed({ least, what }: NotAllowedProps) {
  const { role, isKnown } = useRole();
  if (!isKnown) return null;
  return (
    <Alert color="gray" icon={<LockClosedIcon />} title={`Only ${least}s of this workspace ${what}`}>
      You are {role} here. {least === 'owner' ? 'Another owner' : 'An admin'} can give you another role.
    </Alert>
  );
}

/** What those alone are offered whose role covers it; the others are told so. */
export function ForRole({ children, ...rest }: NotAllowedProps & { children: ReactNode }) {
  const { isAtLeast } = useRole();
  return isAtLeast(rest.least) ? children : <NotAllowed {...rest} />;
}
