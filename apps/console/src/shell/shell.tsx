import { Burger, Button, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type ComponentType, lazy, Suspense, useEffect } from 'react';
import { Link, Redirect, Route, Switch, useLocation } from 'wouter';
import { useAccount } from '../account/account-gate.tsx';
import { ErrorBoundary } from '../components/error-boundary.tsx';
import { usePageTitle } from '../components/page-title.ts';
import { EmptyState, Loading } from '../components/placeholders.tsx';
import { PreloadedPage } from '../components/preloadable.tsx';
import { LiveEvents } from '../data/live-events.tsx';
import { t, withMessages } from '../i18n/i18n.ts';
import { AnswerNotifications } from '../notifications/answer-notifications.ts';
import { ScopeProvider } from '../scope/scope-context.tsx';
import { fetchOtherPages } from './fetch-other-pages.ts';
import { Logo } from './logo.tsx';
import { Navigation } from './navigation.tsx';
import { Overlays } from './overlays.tsx';
import { sectionAt, sections } from './sections.ts';
import classes from './shell.module.css';

const loadNotices: () => Promise<{ default: ComponentType }> = withMessages(
  ['lanes'],
  () => import('./stopped-providers.tsx'),
);

/** Notices for operators. The page works without them. */
const StoppedProviders = lazy(() => loadNotices().catch(() => ({ default: () => null })));

export function Shell() {
  const [isOpen, { toggle, close }] = useDisclosure();
  const [location] = useLocation();
  const section = sectionAt(location);
  const { user } = useAccount();
  useEffect(fetchOtherPages, []);
  return (
    <ScopeProvider>
      <LiveEvents>
        <a className="skip-link" href="#content">
          {t('common.skipToContent')}
        </a>
        <div className={classes.shell}>
          <header className={classes.header}>
            <Burger
              opened={isOpen}
              onClick={toggle}
              size="sm"
              aria-label={isOpen ? t('common.closeMenu') : t('common.openMenu')}
            />
            <Logo />
            <Text fw={600}>Chorus</Text>
          </header>
          <nav className={classes.navigation} data-open={isOpen || undefined} aria-label={t('common.main')}>
            <Navigation onNavigate={close} />
          </nav>
          {user.operator && (
            <div className={classes.notices}>
              <Suspense>
                <StoppedProviders />
              </Suspense>
            </div>
          )}
          <main className={classes.main} id="content" tabIndex={-1}>
            <ErrorBoundary key={section?.path}>
              <Suspense fallback={<Loading />}>
                <Switch>
                  {sections.map((one) => (
                    <Route key={one.path} path={`/${one.path}/*?`}>
                      <PreloadedPage page={one} />
                    </Route>
                  ))}
                  <Route path="/">
                    <Redirect to="/chat" replace />
                  </Route>
                  <Route>
                    <NotFound />
                  </Route>
                </Switch>
              </Suspense>
            </ErrorBoundary>
          </main>
        </div>
        <Overlays />
        <AnswerNotifications />
      </LiveEvents>
    </ScopeProvider>
  );
}

function NotFound() {
  usePageTitle(t('common.pageNotFound'));
  return (
    <EmptyState
      title={t('common.pageNotFound')}
      level={1}
      action={
        <Button component={Link} href="/chat">
          {t('common.goToChat')}
        </Button>
      }
    >
      {t('common.pageNotFoundHint')}
    </EmptyState>
  );
}
