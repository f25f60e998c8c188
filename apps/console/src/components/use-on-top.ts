import { useEffect, useId, useSyncExternalStore } from 'react';

/** Dialogs and drawers that are open, the uppermost last. */
let opened: readonly string[] = [];
const listeners = new Set<() => void>();

function change(next: readonly string[]): void {
  opened = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Whether nothing was opened over this since: the Escape key closes one thing at a time. */
export function useOnTop(isOpen: boolean): boolean {
  const id = useId();
  useEffect(() => {
    if (!isOpen) return;
    change([...opened, id]);
    return () => change(opened.filter((one) => one !== id));
  }, [isOpen, id]);
  return useSyncExternalStore(subscribe, () => opened.at(-1) === id);
}
