import { useMutation, useQuery } from '@tanstack/react-query';
import { InvitationTable } from '../../../components/invitation-table.tsx';
import { QueryView } from '../../../components/placeholders.tsx';
import { SectionTitle } from '../../../components/text.tsx';
import { t } from '../../../i18n/i18n.ts';
import { useScope } from '../../../scope/scope-context.tsx';

export const INVITATIONS_KEY = ['administration', 'invitations'];

/** Open invitations to the platform. Shows nothing if there are none. */
export function UserInvitations() {
  const { client } = useScope();
  const invitations = useQuery({
    queryKey: INVITATIONS_KEY,
    queryFn: ({ signal }) => Array.fromAsync(client.users.invitations({ limit: 100 }, { signal })),
  });
  const revoke = useMutation({
    mutationFn: (id: string) => client.users.revokeInvitation(id),
    onSettled: () => invitations.refetch(),
  });
  if (invitations.data?.length === 0) return null;
  return (
    <section>
      <SectionTitle mb="sm">{t('components.invitations')}</SectionTitle>
      <QueryView query={invitations}>
        {(all) => <InvitationTable invitations={all} onRevoke={revoke.mutate} />}
      </QueryView>
    </section>
  );
}
