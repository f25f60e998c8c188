import { useMutation } from '@tanstack/react-query';
import { notifyError } from '../../data/notify.ts';
import { useScope } from '../../scope/scope-context.tsx';

/** Saves all of the archive as a file: a unit on each line, as JSON. */
export function useExport() {
  const { client } = useScope();
  return useMutation({
    mutationFn: async () => {
      const lines: string[] = [];
      for await (const unit of client.archive.export()) lines.push(`${JSON.stringify(unit)}\n`);
      const link = document.createElement('a');
      link.href = URL.createObjectURL(new Blob(lines, { type: 'application/x-ndjson' }));
      link.download = 'archive.ndjson';
      link.click();
      URL.revokeObjectURL(link.href);
    },
    onError: notifyError,
  });
}
