import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useAccount } from '../../../account/account-gate.tsx';
import { Time } from '../../../components/format.tsx';
import { QueryView } from '../../../components/placeholders.tsx';
import { Dimmed, SectionTitle } from '../../../components/text.tsx';
import { DisableTotpDialog, RecoveryCodesDialog, TotpSetUpDialog } from './totp-dialogs.tsx';

type OpenDialog = 'set-up' | 'codes' | 'disable' | null;

export function TwoFactorSection() {
  const { client } = useAccount();
  const [opened, setOpened] = useState<OpenDialog>(null);
  const state = useQuery({ queryKey: ['totp'], queryFn: ({ signal }) => client.me.totp.get({ signal }), staleTime: 0 });
  const close = () => setOpened(null);
  const refresh = () => void state.refetch();
  return (
    <Stack component="section" aria-label="Two-factor authentication">
      <div>
        <Group gap="xs">
          <SectionTitle>Two-factor authentication</SectionTitle>
          {state.data && (
            <Badge size="sm" tt="none" variant={state.data.enabled ? 'filled' : 'default'}>
              {state.data.enabled ? 'On' : 'Off'}
            </Badge>
          )}
        </Group>
        <Dimmed maw={560}>
          After your password, signing in asks for a code from an authenticator app on your phone.
        </Dimmed>
      </div>
      <QueryView query={state}>
        {({ enabled, enabled_at, recovery_codes_left }) =>
          enabled ? (
            <Stack gap="sm">
              <Text size="sm">
                On since {enabled_at !== null && <Time at={enabled_at} />}.{' '}
                {recovery_codes_left === 1 ? '1 recovery code left' : `${recovery_codes_left} recovery codes left`}.
              </Text>
              <Group>
                <Button variant="default" onClick={() => setOpened('codes')}>
                  Get new recovery codes
                </Button>
                <Button variant="subtle" color="red" onClick={() => setOpened('disable')}>
                  Turn off
                </Button>
              </Group>
            </Stack>
          ) : (
            <Group>
              <Button onClick={() => setOpened('set-up')}>Set up</Button>
            </Group>
          )
        }
      </QueryView>
      <TotpSetUpDialog opened={opened === 'set-up'} onClose={close} onDone={refresh} />
      <RecoveryCodesDialog opened={opened === 'codes'} onClose={close} onDone={refresh} />
      <DisableTotpDialog opened={opened === 'disable'} onClose={close} onDone={refresh} />
    </Stack>
  );
}
