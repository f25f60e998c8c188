import type { Session } from '@chorus/client';
import { BookmarkIcon, StarIcon } from '@heroicons/react/16/solid';
import { Loader } from '@mantine/core';
import { memo } from 'react';
import { Link } from 'wouter';
import { SessionMenu } from './session-menu.tsx';
import classes from './session-row.module.css';

interface SessionRowProps {
  session: Session;
  isCurrent: boolean;
  onChoose?: (() => void) | undefined;
}

export const SessionRow = memo(({ session, isCurrent, onChoose }: SessionRowProps) => (
  <div className={classes.row} data-current={isCurrent || undefined}>
    <Link
      href={`/chat/${session.id}`}
      className={classes.link}
      aria-current={isCurrent ? 'page' : undefined}
      onClick={onChoose}
    >
      {session.pinned && <Mark label="Pinned" icon={BookmarkIcon} />}
      {session.starred && <Mark label="Starred" icon={StarIcon} />}
      <span className={classes.title}>{session.title ?? 'Untitled'}</span>
      {session.active_execution_id !== null && <Loader size={12} role="img" aria-label="An answer is being written" />}
    </Link>
    <SessionMenu session={session} />
  </div>
));

function Mark({ label, icon: Icon }: { label: string; icon: typeof StarIcon }) {
  return (
    <span role="img" aria-label={label} className={classes.mark}>
      <Icon />
    </span>
  );
}
