import { useEffect, useState, useSyncExternalStore } from 'react';
import { useScope } from '../../scope/scope-context.tsx';
import { Talk } from './talk.ts';

/** The talk of this page; it ends when the page is left. */
export function useTalk() {
  const { client } = useScope();
  const [talk] = useState(() => new Talk(client));
  const view = useSyncExternalStore(talk.subscribe, talk.view);
  useEffect(() => () => talk.stop(), [talk]);
  return { talk, view };
}
