import { LockClosedIcon } from '@heroicons/react/24/outline';
import { Alert } from '@mantine/core';
import { type Role, useRole } from '../scope/use-role.ts';

/** In place of what one's role does not cover: why it is not there. @param what as in `Only admins see the audit log`. */
export function NotAllowed({ least, what }: { least: Role; what: string }) {
  const { role } = useRole();
  return (
    <Alert color="gray" icon={<LockClosedIcon />} title={`Only ${least}s of this workspace ${what}`}>
      You are {role} here. {least === 'owner' ? 'Another owner' : 'An admin'} can give you another role.
    </Alert>
  );
}
