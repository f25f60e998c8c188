import { Alert, Button, Stack } from '@mantine/core';
import { t } from '../i18n/i18n.ts';
import { Secret } from './secret.tsx';

interface InvitationSentProps {
  email: string;
  hint: string;
  link: string;
  onClose: () => void;
}

/** Shows the link of an invitation, which the user has to send. */
export function InvitationSent({ email, hint, link, onClose }: InvitationSentProps) {
  return (
    <Stack>
      <Alert color="yellow" title={t('components.sendLinkYourself', { email })}>
        {hint}
      </Alert>
      <Secret value={link} />
      <Button onClick={onClose}>{t('common.done')}</Button>
    </Stack>
  );
}
