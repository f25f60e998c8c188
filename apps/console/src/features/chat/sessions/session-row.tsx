import type { Session } from '@chorus/client';
import { BookmarkIcon, StarIcon as SolidStarIcon } from '@heroicons/react/16/solid';
import { Loader } from '@mantine/core';
import { lazy, memo, Suspense } from 'react';
import { Link } from 'wouter';
import { t } from '../../../i18n/i18n.ts';
import classes from './session-list.module.css';
import { SessionMenu } from './session-menu.tsx';

const SelectableRow = lazy(() => import('./selectable-row.tsx'));

interface SessionRowProps {
  session: Session;
  isCurrent: boolean;
  /** Whether the user may change it. */
  hasMenu: boolean;
  /** Undefined while nothing can be selected. */
  isSelected: boolean | undefined;
  onToggle: (id: string, isRange: boolean) => void;
  onChoose?: (() => void) | undefined;
}

export const SessionRow = memo(({ session, isCurrent, hasMenu, isSelected, onToggle, onChoose }: SessionRowProps) => {
  const content = (
    <>
      {session.pinned && <Marker label={t('chat.pinned')} icon={BookmarkIcon} />}
      {session.starred && <Marker label={t('chat.starred')} icon={SolidStarIcon} />}
      <bdi className={classes.title}>{session.title ?? t('common.untitled')}</bdi>
      {session.active_execution_id !== null && <Loader size={12} role="img" aria-label={t('chat.isAnswering')} />}
    </>
  );
  if (isSelected !== undefined) {
    return (
      <div className={classes.row} data-current={isSelected || undefined}>
        <Suspense fallback={<span className={classes.link}>{content}</span>}>
          <SelectableRow isSelected={isSelected} onToggle={(isRange) => onToggle(session.id, isRange)}>
            {content}
          </SelectableRow>
        </Suspense>
      </div>
    );
  }
  return (
    <div className={classes.row} data-current={isCurrent || undefined}>
      <Link
        href={`/chat/${session.id}`}
        className={classes.link}
        aria-current={isCurrent ? 'page' : undefined}
        onClick={onChoose}
      >
        {content}
      </Link>
      {hasMenu && <SessionMenu session={session} />}
    </div>
  );
});

function Marker({ label, icon: Icon }: { label: string; icon: typeof SolidStarIcon }) {
  return (
    <span role="img" aria-label={label} className={classes.mark}>
      <Icon />
    </span>
  );
}
