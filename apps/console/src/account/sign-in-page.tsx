import { Text } from '@mantine/core';
import { EntryPage } from './entry-page.tsx';
import { SignInForm } from './sign-in-form.tsx';

export function SignInPage() {
  return (
    <EntryPage title="Sign in to Chorus">
      <SignInForm>
        {(email) => (
          <Text size="xs" c="dimmed" ta="center">
            The first password was printed when the platform was started for the first time. Forgot yours? Whoever runs
            the platform can set a new one: <code>npx chorus user passwd {email || 'you@example.org'}</code>
          </Text>
        )}
      </SignInForm>
    </EntryPage>
  );
}
