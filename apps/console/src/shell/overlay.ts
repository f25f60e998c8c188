import { useSyncExternalStore } from 'react';

/** Opened from anywhere, above the page. */
type Overlay = 'palette' | 'shortcuts';

let opened: Overlay | null = null;
const listeners = new Set<() => void>();

export function showOverlay(overlay: Overlay | null): void {
  opened = overlay;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function useOverlay(): Overlay | null {
  return useSyncExternalStore(subscribe, () => opened);
}
