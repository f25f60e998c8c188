import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useAccount } from '../../../account/account-gate.tsx';
import { Time } from '../../../components/format.tsx';
import { QueryView } from '../../../components/placeholders.tsx';
import { Dimmed, SectionTitle } from '../../../components/text.tsx';
import { t } from '../../../i18n/i18n.ts';
import { rich } from '../../../i18n/rich.tsx';
import { DisableTotpDialog, RecoveryCodesDialog, TotpSetUpDialog } from './totp-dialogs.tsx';

type OpenDialog = 'set-up' | 'codes' | 'disable' | null;

export function TwoFactorSection() {
  const { client } = useAccount();
  const [opened, setOpened] = useState<OpenDialog>(null);
  const state = useQuery({ queryKey: ['totp'], queryFn: ({ signal }) => client.me.totp.get({ signal }), staleTime: 0 });
  const close = () => setOpened(null);
  const refresh = () => void state.refetch();
  return (
    <Stack component="section" aria-label={t('settings.twoFactorAuthentication')}>
      <div>
        <Group gap="xs">
          <SectionTitle>{t('settings.twoFactorAuthentication')}</SectionTitle>
          {state.data && (
            <Badge size="sm" tt="none" variant={state.data.enabled ? 'filled' : 'default'}>
              {state.data.enabled ? t('settings.on') : t('settings.off')}
            </Badge>
          )}
        </Group>
        <Dimmed maw={560}>{t('settings.twoFactorHint')}</Dimmed>
      </div>
      <QueryView query={state}>
        {({ enabled, enabled_at, recovery_codes_left }) =>
          enabled ? (
            <Stack gap="sm">
              <Text size="sm">
                {enabled_at !== null && rich('settings.onSince', { time: <Time at={enabled_at} /> })}{' '}
                {t('settings.recoveryCodesLeft', { count: recovery_codes_left })}
              </Text>
              <Group>
                <Button variant="default" onClick={() => setOpened('codes')}>
                  {t('settings.getNewRecoveryCodes')}
                </Button>
                <Button variant="subtle" color="red" onClick={() => setOpened('disable')}>
                  {t('settings.turnOff')}
                </Button>
              </Group>
            </Stack>
          ) : (
            <Group>
              <Button onClick={() => setOpened('set-up')}>{t('settings.setUp')}</Button>
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
