import { Stack, Text, Title } from '@mantine/core';
import { useAccount } from '../../../account/account-gate.tsx';
import { basePath } from '../../../base-path.ts';
import { LoginsSection } from './logins-section.tsx';
import { PasswordForm } from './password-form.tsx';
import { TwoFactorSection } from './two-factor-section.tsx';

export default function AccountPanel() {
  const { user } = useAccount();
  return (
    <Stack gap="xl">
      <div>
        <Title order={2} size="h5">
          {user.email}
        </Title>
        <Text size="sm" c="dimmed">
          {user.operator ? 'Operator of this platform' : 'User of this platform'}
        </Text>
      </div>
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
