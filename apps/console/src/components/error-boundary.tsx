import { ChorusError } from '@chorus/client';
import { Button } from '@mantine/core';
import { Component, type ReactNode } from 'react';
import { basePath } from '../base-path.ts';
import { notifyError } from '../data/notify.ts';
import { Problem } from './problem.tsx';

/** Shows what broke while it was drawn, in its place; the rest of the console goes on. */
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
    // A part that was not fetched yet may be of a version that is served no more.
    return <Problem error={this.state.error} action={<Button onClick={loadAgain}>Load the page again</Button>} />;
  }
}

/** Loads the page anew once the server can be reached: without it, what is here would be gone, too. */
async function loadAgain(): Promise<void> {
  try {
    await fetch(`${basePath}/healthz`);
    location.reload();
  } catch (cause) {
    notifyError(new ChorusError('connection_lost', 'the server cannot be reached', { status: 0, cause }));
  }
}
