import { Group, Title } from '@mantine/core';
import { type ReactNode, Suspense } from 'react';
import { Link } from 'wouter';
import { t } from '../i18n/i18n.ts';
import type { MessageKey } from '../i18n/messages.ts';
import classes from './page.module.css';
import { usePageTitle } from './page-title.ts';
import { Loading } from './placeholders.tsx';

interface PageTab {
  /** The last segment of its path; empty for the page itself. */
  path: string;
  label: MessageKey;
}

/** On phones, the tabs do not all fit on the screen. */
const scrollIntoView = (tab: HTMLElement | null) => tab?.scrollIntoView({ inline: 'center', block: 'nearest' });

interface PageProps {
  title: string;
  actions?: ReactNode;
  tabs?: readonly PageTab[];
  /** The path of the page, such as `/studio`. */
  base?: string;
  current?: string | undefined;
  children: ReactNode;
}

export function Page({ title, actions, tabs, base, current, children }: PageProps) {
  const tabLabel = tabs?.find(({ path }) => path === current)?.label;
  const tab = tabLabel && t(tabLabel);
  usePageTitle(tab === title ? undefined : tab, title);
  return (
    <section className={classes.page} aria-label={title}>
      <header className={classes.header}>
        <Group justify="space-between" mih={36}>
          <Title order={1} size="h3">
            {title}
          </Title>
          {actions && <Group gap="xs">{actions}</Group>}
        </Group>
        {tabs && (
          <nav className={classes.tabs} aria-label={t('common.sectionsOf', { title })}>
            {tabs.map(({ path, label }) => (
              <Link
                key={path}
                href={path === '' ? `${base}` : `${base}/${path}`}
                className={classes.tab}
                aria-current={path === current ? 'page' : undefined}
                ref={path === current ? scrollIntoView : undefined}
              >
                {t(label)}
              </Link>
            ))}
          </nav>
        )}
      </header>
      <div className={classes.body}>
        <Suspense fallback={<Loading />}>{children}</Suspense>
      </div>
    </section>
  );
}
