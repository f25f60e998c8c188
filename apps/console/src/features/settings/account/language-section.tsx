import { Stack } from '@mantine/core';
import { Dimmed, SectionTitle } from '../../../components/text.tsx';
import { t } from '../../../i18n/i18n.ts';
import { LanguageMenu } from '../../../i18n/language-menu.tsx';

export function LanguageSection() {
  return (
    <Stack component="section" aria-label={t('settings.language')} gap="sm" align="start">
      <div>
        <SectionTitle>{t('settings.language')}</SectionTitle>
        <Dimmed>{t('settings.languageHint')}</Dimmed>
      </div>
      <LanguageMenu />
    </Stack>
  );
}
