import { Button } from '@mantine/core';
import { Component, type ReactNode } from 'react';
import { Problem } from './problem.tsx';

/** Shows what broke while it was drawn, in its place; the rest of the console goes on. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { error: unknown }> {
  override state: { error: unknown } = { error: null };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    if (this.state.error === null) return this.props.children;
    // A part that was not fetched yet may be of a version that is served no more.
    return (
      <Problem
        error={this.state.error}
        action={<Button onClick={() => location.reload()}>Load the page again</Button>}
      />
    );
  }
}
