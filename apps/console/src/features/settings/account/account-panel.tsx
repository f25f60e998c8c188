import { Stack, Text } from '@mantine/core';
import { useAccount } from '../../../account/account-gate.tsx';
import { Dimmed, SectionTitle } from '../../../components/text.tsx';
import { basePath } from '../../../page-config.ts';
import { LanguageSection } from './language-section.tsx';
import { LoginsSection } from './logins-section.tsx';
import { NotificationsSection } from './notifications-section.tsx';
import { PasswordForm } from './password-form.tsx';
import { TwoFactorSection } from './two-factor-section.tsx';

export default function AccountPanel() {
  const { user } = useAccount();
  return (
    <Stack gap="xl">
      <div>
        <SectionTitle>{user.email}</SectionTitle>
        <Dimmed>{user.operator ? 'Operator of this platform' : 'User of this platform'}</Dimmed>
      </div>
      <LanguageSection />
      <NotificationsSection />
      <PasswordForm />
      <TwoFactorSection />
      <LoginsSection />
      <Text size="sm">
        Everything the console does is available through the HTTP API: see{' '}
        <a href={`${basePath}/docs`}>its documentation</a>.
      </Text>
    </Stack>
  );
}
