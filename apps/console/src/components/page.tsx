import { Group, Title } from '@mantine/core';
import { type ReactNode, Suspense } from 'react';
import { Link } from 'wouter';
import { Loading } from './loading.tsx';
import classes from './page.module.css';

export interface PageTab {
  /** The last step of its address; empty: that of the page itself. */
  path: string;
  label: string;
}

/** On a phone the parts are more than have room. */
const intoView = (tab: HTMLElement | null) => tab?.scrollIntoView({ inline: 'center', block: 'nearest' });

interface PageProps {
  title: string;
  actions?: ReactNode;
  /** Parts of the page, at addresses below its own. */
  tabs?: readonly PageTab[];
  /** The address of the page itself, such as `/studio`. */
  base?: string;
  current?: string | undefined;
  children: ReactNode;
}

/** A part of the console with its title, and what it shows below. */
export function Page({ title, actions, tabs, base, current, children }: PageProps) {
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
          <nav className={classes.tabs} aria-label={`Parts of ${title}`}>
            {tabs.map(({ path, label }) => (
              <Link
                key={path}
                href={path === '' ? `${base}` : `${base}/${path}`}
                className={classes.tab}
                aria-current={path === current ? 'page' : undefined}
                ref={path === current ? intoView : undefined}
              >
                {label}
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
