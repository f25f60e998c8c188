import { ChorusError } from '@chorus/client';
import { useState } from 'react';
import { notify, notifyError } from '../../../data/notify.ts';
import { t } from '../../../i18n/i18n.ts';
import { useScope } from '../../../scope/scope-context.tsx';

const MAX_FILES_PER_REQUEST = 50;

/** Uploads documents and reports those that were rejected or already exist. */
export function useKnowledgeUpload(onStored: () => void) {
  const { client } = useScope();
  const [names, setNames] = useState<readonly string[]>([]);
  const [fraction, setFraction] = useState(0);

  const send = async (files: readonly File[]) => {
    const onProgress = ({ loaded, total }: { loaded: number; total: number }) =>
      setFraction(total === 0 ? 1 : loaded / total);
    const { data, failed } = await client.knowledge.upload(files, {}, { onProgress });
    for (const { filename, error } of failed) notifyRejected(filename ?? t('components.file'), error.message);
    const known = data.filter(({ duplicate }) => duplicate);
    for (const { title } of known) notify({ message: t('knowledge.alreadyExists', { title }) });
    onStored();
  };
  /** One empty or oversized file makes the server reject the whole request, so the files are then sent one by one. */
  const sendAll = async (files: readonly File[]) => {
    try {
      await send(files);
    } catch (error) {
      const isRejected = error instanceof ChorusError && (error.status === 400 || error.status === 413);
      if (!isRejected) throw error;
      const [first] = files;
      if (files.length === 1) notifyRejected(first?.name ?? t('components.file'), error.message);
      else for (const file of files) await sendAll([file]);
    }
  };
  const start = async (files: File[]) => {
    setNames(files.map(({ name }) => name));
    try {
      for (let at = 0; at < files.length; at += MAX_FILES_PER_REQUEST)
        await sendAll(files.slice(at, at + MAX_FILES_PER_REQUEST));
    } catch (error) {
      notifyError(error);
    }
    setNames([]);
    setFraction(0);
  };
  return { names, fraction, start };
}

function notifyRejected(title: string, message: string): void {
  notify({ color: 'red', title, message });
}
