import type { Session } from '@chorus/client';
import { BookmarkIcon, StarIcon as SolidStarIcon } from '@heroicons/react/16/solid';
import { Checkbox, Loader } from '@mantine/core';
import { memo } from 'react';
import { Link } from 'wouter';
import { t } from '../../../i18n/i18n.ts';
import classes from './session-list.module.css';
import { SessionMenu } from './session-menu.tsx';

interface SessionRowProps {
  session: Session;
  isCurrent: boolean;
  /** Undefined while nothing can be selected. */
  isSelected: boolean | undefined;
  onToggle: (id: string, isRange: boolean) => void;
  onChoose?: (() => void) | undefined;
}

export const SessionRow = memo(({ session, isCurrent, isSelected, onToggle, onChoose }: SessionRowProps) => {
  const content = (
    <>
      {session.pinned && <Marker label={t('chat.pinned')} icon={BookmarkIcon} />}
      {session.starred && <Marker label={t('chat.starred')} icon={SolidStarIcon} />}
      <span className={classes.title}>{session.title ?? t('common.untitled')}</span>
      {session.active_execution_id !== null && <Loader size={12} role="img" aria-label={t('chat.isAnswering')} />}
    </>
  );
  if (isSelected !== undefined) {
    return (
      <div className={classes.row} data-current={isSelected || undefined}>
        <Checkbox
          size="xs"
          className={classes.choice}
          classNames={{ body: classes.choiceBody, labelWrapper: classes.choiceLabel, label: classes.link }}
          label={content}
          checked={isSelected}
          // A click on the label reaches the box as another one, with the same keys.
          onClick={(event) => onToggle(session.id, event.shiftKey)}
          readOnly
        />
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
      <SessionMenu session={session} />
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
