import { Button } from '@mantine/core';
import { Link } from 'wouter';
import { EmptyState } from '../components/empty-state.tsx';

export function NotFound() {
  return (
    <EmptyState
      title="There is nothing at this address"
      action={
        <Button component={Link} href="/chat">
          Go to the chat
        </Button>
      }
    >
      It may be misspelt, or what it led to may be gone.
    </EmptyState>
  );
}
