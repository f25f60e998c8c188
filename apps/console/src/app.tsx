import { MantineProvider, useComputedColorScheme } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useState, useSyncExternalStore } from 'react';
import { Router, useRoute } from 'wouter';
import { AccountGate } from './account/account-gate.tsx';
import { Loading } from './components/placeholders.tsx';
import { notificationLibrary } from './data/notify.ts';
import { createQueryClient } from './data/query-client.ts';
import { withMessages } from './i18n/i18n.ts';
import { LanguageProvider } from './i18n/language-provider.tsx';
import { keepFocus } from './keep-focus.ts';
import { basePath, nonce } from './page-config.ts';
import { Shell } from './shell/shell.tsx';
import { createAppTheme, cssVariables } from './theme.ts';

// Most visits are not to a shared conversation.
const SharedPage = lazy(withMessages(['shared', 'components'], () => import('./features/shared/shared-page.tsx')));

export function App() {
  const [queryClient] = useState(createQueryClient);
  useEffect(keepFocus, []);
  useEffect(ignoreStrayDrops, []);
  return (
    <QueryClientProvider client={queryClient}>
      <LanguageProvider>
        <ThemedPage />
      </LanguageProvider>
    </QueryClientProvider>
  );
}

function ThemedPage() {
  const [theme] = useState(createAppTheme);
  return (
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      cssVariablesResolver={cssVariables}
      getStyleNonce={() => nonce}
    >
      <ThemeColor />
      <NotificationsWhenUsed />
      <Router base={basePath}>
        <Entry />
      </Router>
    </MantineProvider>
  );
}

/** Shows a shared conversation to anyone, and everything else to people who have signed in. */
function Entry() {
  const [, shared] = useRoute('/share/:token');
  if (shared?.token !== undefined) {
    return (
      <Suspense fallback={<Loading />}>
        <SharedPage token={shared.token} />
      </Suspense>
    );
  }
  return (
    <AccountGate>
      <Shell />
    </AccountGate>
  );
}

function NotificationsWhenUsed() {
  const library = useSyncExternalStore(notificationLibrary.subscribe, notificationLibrary.current);
  return library && <library.Notifications position="top-center" />;
}

/** Gives the frame of the window, or of the installed app, the color of the page. */
function ThemeColor(): null {
  const scheme = useComputedColorScheme();
  useEffect(() => {
    const meta = document.querySelector<HTMLMetaElement>('meta[name=theme-color]');
    if (meta !== null) meta.content = scheme === 'dark' ? '#15171c' : '#ffffff';
  }, [scheme]);
  return null;
}

/** Stops the browser from replacing the console with a file that is dropped outside a drop target. */
function ignoreStrayDrops(): () => void {
  const onDrag = (event: DragEvent) => {
    // A drop target has handled the event, or no files are being dragged.
    if (event.defaultPrevented || !event.dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = 'none';
  };
  addEventListener('dragover', onDrag);
  addEventListener('drop', onDrag);
  return () => {
    removeEventListener('dragover', onDrag);
    removeEventListener('drop', onDrag);
  };
}
