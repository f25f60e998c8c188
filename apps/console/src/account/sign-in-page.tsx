import { Text } from '@mantine/core';
import { EntryPage } from './entry-page.tsx';
import { SignInForm } from './sign-in-form.tsx';

export function SignInPage() {
  return (
    <EntryPage title="Sign in to Chorus">
      <SignInForm>
        {(email) => (
          <Text size="xs" c="dimmed" ta="center">
            The first password was printed when the platform first started. Forgot yours? An administrator of the server
            can set a new one: <code>npx chorus user passwd {email || 'you@example.org'}</code>
          </Text>
        )}
      </SignInForm>
    </EntryPage>
  );
}
