import type { ReactNode } from 'react';
import classes from './message-view.module.css';

export function UserBubble({ text, children }: { text: string; children?: ReactNode }) {
  return (
    <div className={classes.user}>
      {children}
      <div className={classes.bubble} dir="auto">
        {text}
      </div>
    </div>
  );
}
