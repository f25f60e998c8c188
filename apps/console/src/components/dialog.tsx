import { Modal, type ModalProps } from '@mantine/core';
import { useOnTop } from './use-on-top.ts';

/** A dialog in the middle, which may stand over others. */
export function Dialog({ closeOnEscape = true, ...props }: ModalProps) {
  const isOnTop = useOnTop(props.opened);
  return <Modal {...props} closeOnEscape={closeOnEscape && isOnTop} />;
}
