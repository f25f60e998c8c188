import { useCallback, useState } from 'react';
import {
  describeRejected,
  isAccepted,
  READABLE_DOCUMENTS,
  READABLE_IMAGES,
  readableDocumentsInWords,
} from '../../../../components/accepted-files.ts';
import { describeError } from '../../../../data/describe-error.ts';
import { notifyWarning } from '../../../../data/notify.ts';
import { t } from '../../../../i18n/i18n.ts';
import { useScope } from '../../../../scope/scope-context.tsx';

export interface Attachment {
  key: string;
  name: string;
  isImage: boolean;
  /** Uploaded share, from 0 to 1. */
  progress: number;
  /** `ast_…` of an image or `kno_…` of a document. Null until it is uploaded. */
  id: string | null;
  /** Why it cannot be sent. */
  problem: string | null;
}

const MAX_ATTACHMENTS = 8;

/** Uploads images and documents while the message is being written. */
export function useAttachments() {
  const { client } = useScope();
  const [attachments, setAttachments] = useState<readonly Attachment[]>([]);
  const change = useCallback(
    (key: string, fields: Partial<Attachment>) =>
      setAttachments((all) => all.map((one) => (one.key === key ? { ...one, ...fields } : one))),
    [],
  );

  const upload = useCallback(
    async (file: File) => {
      const key = crypto.randomUUID();
      const isImage = isAccepted(READABLE_IMAGES, file);
      setAttachments((all) => [...all, { key, name: file.name, isImage, progress: 0, id: null, problem: null }]);
      const onProgress = ({ loaded, total }: { loaded: number; total: number }) =>
        change(key, { progress: total === 0 ? 1 : loaded / total });
      try {
        if (isImage) return change(key, { id: (await client.assets.upload(file, { onProgress })).id, progress: 1 });
        const { data } = await client.knowledge.upload(file, { for_conversation: true }, { onProgress });
        return change(key, { id: data[0]?.id ?? null, progress: 1 });
      } catch (error) {
        const { title, advice } = describeError(error);
        return change(key, { problem: [title, advice].filter(Boolean).join('. ') });
      }
    },
    [client, change],
  );

  const count = attachments.length;
  const add = useCallback(
    (files: readonly File[]) => {
      const readable = files.filter((file) => isAccepted(READABLE_DOCUMENTS, file));
      const rejected = files.filter((file) => !readable.includes(file)).map(({ name }) => name);
      if (rejected.length > 0) {
        const { title, advice } = describeRejected(rejected, readableDocumentsInWords());
        notifyWarning(title, advice);
      }
      const accepted = readable.slice(0, MAX_ATTACHMENTS - count);
      if (accepted.length < readable.length)
        notifyWarning(t('chat.tooManyFiles', { count: MAX_ATTACHMENTS }), t('chat.sendOthersLater'));
      for (const file of accepted) upload(file);
    },
    [upload, count],
  );

  /** Deletes a document that was not sent. */
  const discard = ({ id }: Attachment) => {
    if (id?.startsWith('kno_')) client.knowledge.delete(id).catch(() => undefined); // otherwise deleted after a day
  };

  const sendable = attachments.filter(({ problem }) => problem === null);
  return {
    attachments,
    add,
    remove: (removed: Attachment) => {
      setAttachments((all) => all.filter(({ key }) => key !== removed.key));
      discard(removed);
    },
    /** Marks a document that turned out to be unreadable. */
    fail: useCallback((key: string, problem: string | null) => change(key, { problem }), [change]),
    clear: () => setAttachments([]),
    hasImages: sendable.some(({ isImage }) => isImage),
    isUploading: sendable.some(({ id }) => id === null),
    ids: sendable.flatMap(({ id }) => id ?? []),
  };
}
