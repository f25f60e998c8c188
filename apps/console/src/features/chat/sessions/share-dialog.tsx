import { lazy, Suspense } from 'react';
import { Dialog } from '../../../components/dialog.tsx';
import { Loading } from '../../../components/placeholders.tsx';
import { t, withMessages } from '../../../i18n/i18n.ts';
import type { ShareFormProps } from './share-form.tsx';

const ShareForm = lazy(withMessages(['conversation', 'components'], () => import('./share-form.tsx')));

export function ShareDialog({ opened, ...form }: ShareFormProps & { opened: boolean }) {
  return (
    <Dialog opened={opened} onClose={form.onClose} title={t('chat.shareThisConversation')}>
      <Suspense fallback={<Loading />}>
        <ShareForm {...form} />
      </Suspense>
    </Dialog>
  );
}
