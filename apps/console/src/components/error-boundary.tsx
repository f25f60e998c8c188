import { ChorusError } from '@chorus/client';
import { Button } from '@mantine/core';
import { Component, type ReactNode } from 'react';
import { notifyError } from '../data/notify.ts';
import { t } from '../i18n/i18n.ts';
import { basePath } from '../page-config.ts';
import { ErrorState } from './placeholders.tsx';

/** Shows a rendering error in place of its children; the rest of the console keeps working. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { error: unknown }> {
  override state: { error: unknown } = { error: null };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override componentDidMount() {
    addEventListener('online', this.#onOnline);
  }

  override componentWillUnmount() {
    removeEventListener('online', this.#onOnline);
  }

  readonly #onOnline = () => {
    if (this.state.error !== null) loadAgain();
  };

  override render() {
    if (this.state.error === null) return this.props.children;
    // A chunk that fails to load may belong to a version that is no longer served.
    return (
      <ErrorState error={this.state.error} action={<Button onClick={loadAgain}>{t('common.reloadPage')}</Button>} />
    );
  }
}

/** Reloads the page if the server is reachable; otherwise the user would lose the current page too. */
async function loadAgain(): Promise<void> {
  try {
    await fetch(`${basePath}/healthz`);
    location.reload();
  } catch (cause) {
    notifyError(new ChorusError('connection_lost', 'the server cannot be reached', { status: 0, cause }));
  }
}
