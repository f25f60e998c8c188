import { useMutation } from '@tanstack/react-query';
import { notifyError } from '../../data/notify.ts';
import { saveLines } from '../../data/save-lines.ts';
import { useScope } from '../../scope/scope-context.tsx';

/** Saves all of the archive as a file: a unit on each line, as JSON. */
export function useExport() {
  const { client } = useScope();
  return useMutation({
    mutationFn: () => saveLines(client.archive.export(), 'archive.ndjson'),
    onError: notifyError,
  });
}
