import { Alert, Button, Stack } from '@mantine/core';
import { Secret } from '../../../components/secret.tsx';

/** Recovery codes, this once. */
export function RecoveryCodes({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  return (
    <Stack>
      <Alert color="yellow" title="Save your recovery codes now">
        They are shown only this once. Each one lets you sign in once if you lose your phone.
      </Alert>
      <Secret value={codes.join('\n')} />
      <Button onClick={onClose}>I have saved them</Button>
    </Stack>
  );
}
