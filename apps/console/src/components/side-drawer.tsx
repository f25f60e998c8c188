import { Drawer, type DrawerProps } from '@mantine/core';
import { useOnTop } from './use-on-top.ts';

/** A drawer at the side, over which dialogs may stand. */
export function SideDrawer({ closeOnEscape = true, ...props }: DrawerProps) {
  const isOnTop = useOnTop(props.opened);
  return <Drawer {...props} closeOnEscape={closeOnEscape && isOnTop} />;
}
