import { Paper, Stack, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { usePageTitle } from '../components/page-title.ts';
import { Dimmed } from '../components/text.tsx';
import { LanguageMenu } from '../i18n/language-menu.tsx';
import { Logo } from '../shell/logo.tsx';

interface EntryPageProps {
  title: string;
  hint?: string;
  children: ReactNode;
}

export function EntryPage({ title, hint, children }: EntryPageProps) {
  usePageTitle(title);
  return (
    <Stack component="main" align="center" justify="center" mih="100dvh" p="md" bg="var(--surface-sunken)">
      <Paper withBorder shadow="sm" p="xl" w="100%" maw={400}>
        <Stack>
          <Stack align="center" gap={4}>
            <Logo />
            <Title order={1} size="h3">
              {title}
            </Title>
            {hint && <Dimmed ta="center">{hint}</Dimmed>}
          </Stack>
          {children}
        </Stack>
      </Paper>
      <LanguageMenu />
    </Stack>
  );
}
