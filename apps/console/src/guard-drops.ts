/**
 * Keeps files that are dropped beside every place for them from being opened in place of the console, with what is written and on its way there.
 *
 * @returns what ends it
 */
export function guardDrops(): () => void {
  const onDrag = (event: DragEvent) => {
    if (event.defaultPrevented || !event.dataTransfer?.types.includes('Files')) return; // something takes them, or it is no file
    event.preventDefault();
    event.dataTransfer.dropEffect = 'none';
  };
  addEventListener('dragover', onDrag);
  addEventListener('drop', onDrag);
  return () => {
    removeEventListener('dragover', onDrag);
    removeEventListener('drop', onDrag);
  };
}
