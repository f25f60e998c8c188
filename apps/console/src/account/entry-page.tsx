import { Center, Paper, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Logo } from '../shell/logo.tsx';
import classes from './entry-page.module.css';

interface EntryPageProps {
  title: string;
  hint?: string;
  children: ReactNode;
}

/** A page for someone who is not signed in. */
export function EntryPage({ title, hint, children }: EntryPageProps) {
  return (
    <Center component="main" className={classes.page}>
      <Paper withBorder shadow="sm" p="xl" w="100%" maw={400}>
        <Stack>
          <Stack align="center" gap={4}>
            <Logo />
            <Title order={1} size="h3">
              {title}
            </Title>
            {hint && (
              <Text size="sm" c="dimmed" ta="center">
                {hint}
              </Text>
            )}
          </Stack>
          {children}
        </Stack>
      </Paper>
    </Center>
  );
}
