import type { ReactNode } from 'react';
import classes from './message-view.module.css';

/** Shows what the user wrote, below its attachments. */
export function UserBubble({ attachments, children }: { attachments?: ReactNode; children: ReactNode }) {
  return (
    <div className={classes.user}>
      {attachments}
      <div className={classes.bubble} dir="auto">
        {children}
      </div>
    </div>
  );
}
