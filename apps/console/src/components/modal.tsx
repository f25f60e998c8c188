// Loads when the first dialog opens.
export { Drawer, Modal } from '@mantine/core';
