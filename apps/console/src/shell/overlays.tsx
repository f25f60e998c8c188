import { useWindowEvent } from '@mantine/hooks';
import { lazy, Suspense, useEffect, useState } from 'react';
import { withMessages } from '../i18n/i18n.ts';
import { showOverlay, useOverlay } from './overlay.ts';

const CommandPalette = lazy(
  withMessages(
    ['palette', 'components', 'settings', 'studio', 'administration'],
    () => import('./palette/command-palette.tsx'),
  ),
);
const ShortcutsSheet = lazy(withMessages(['palette'], () => import('./shortcuts-sheet.tsx')));

/** The command palette and the sheet of shortcuts, with their keys. Loaded when they are first opened. */
export function Overlays() {
  const overlay = useOverlay();
  const [loaded, setLoaded] = useState<ReadonlySet<string>>(new Set());
  useEffect(() => {
    if (overlay !== null) setLoaded((known) => new Set([...known, overlay]));
  }, [overlay]);
  useWindowEvent('keydown', onKeyDown);
  const close = () => showOverlay(null);
  return (
    <Suspense>
      {loaded.has('palette') && <CommandPalette opened={overlay === 'palette'} onClose={close} />}
      {loaded.has('shortcuts') && <ShortcutsSheet opened={overlay === 'shortcuts'} onClose={close} />}
    </Suspense>
  );
}

/** By the character, since `/` and `?` need Shift on some keyboards only. */
function onKeyDown(event: KeyboardEvent): void {
  const { key, ctrlKey, metaKey, altKey, target } = event;
  const isMod = (ctrlKey || metaKey) && !altKey;
  const isTyping =
    target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'));
  if (isMod && key.toLowerCase() === 'k') showOverlay('palette');
  else if ((isMod && key === '/') || (key === '?' && !isMod && !isTyping)) showOverlay('shortcuts');
  else return;
  event.preventDefault();
}
