import { Stack, Text } from '@mantine/core';
import { useAccount } from '../../../account/account-gate.tsx';
import { Dimmed, SectionTitle } from '../../../components/text.tsx';
import { t } from '../../../i18n/i18n.ts';
import { rich } from '../../../i18n/rich.tsx';
import { basePath } from '../../../page-config.ts';
import { CustomInstructionsSection } from './custom-instructions-section.tsx';
import { LanguageSection } from './language-section.tsx';
import { LoginsSection } from './logins-section.tsx';
import { MyDataSection } from './my-data-section.tsx';
import { NotificationsSection } from './notifications-section.tsx';
import { PasswordForm } from './password-form.tsx';
import { TwoFactorSection } from './two-factor-section.tsx';

export default function AccountPanel() {
  const { user } = useAccount();
  return (
    <Stack gap="xl">
      <div>
        <SectionTitle>{user.email}</SectionTitle>
        <Dimmed>{user.operator ? t('settings.operatorOfThisPlatform') : t('settings.userOfThisPlatform')}</Dimmed>
      </div>
      <LanguageSection />
      <CustomInstructionsSection />
      <NotificationsSection />
      <PasswordForm />
      <TwoFactorSection />
      <LoginsSection />
      <MyDataSection />
      <Text size="sm">{rich('settings.apiHint', { link: (text) => <a href={`${basePath}/docs`}>{text}</a> })}</Text>
    </Stack>
  );
}
