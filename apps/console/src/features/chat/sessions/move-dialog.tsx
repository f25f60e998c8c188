import { lazy, Suspense } from 'react';
import { Dialog } from '../../../components/dialog.tsx';
import { Loading } from '../../../components/placeholders.tsx';
import { t, withMessages } from '../../../i18n/i18n.ts';
import type { MoveFormProps } from './move-form.tsx';

const MoveForm = lazy(withMessages(['conversation', 'components'], () => import('./move-form.tsx')));

export function MoveDialog({ opened, onClose, ...rest }: MoveFormProps & { opened: boolean }) {
  return (
    <Dialog opened={opened} onClose={onClose} title={t('common.moveToFolder')}>
      <Suspense fallback={<Loading />}>
        <MoveForm onClose={onClose} {...rest} />
      </Suspense>
    </Dialog>
  );
}
