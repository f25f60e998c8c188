import { CloseButton, RingProgress, Text } from '@mantine/core';
import { useState } from 'react';
import { isAccepted, READABLE_IMAGES, READABLE_IMAGES_IN_WORDS } from '../../../components/accepted-files.ts';
import { notifyError, notifyWarning } from '../../../data/notify.ts';
import { useScope } from '../../../scope/scope-context.tsx';
import classes from './composer.module.css';

interface Upload {
  key: string;
  name: string;
  progress: number;
  assetId: string | null;
}

const MAX_IMAGES = 8;

/** Uploads images while the message is being written. */
export function useAttachments() {
  const { client } = useScope();
  const [uploads, setUploads] = useState<readonly Upload[]>([]);
  const change = (key: string, fields: Partial<Upload>) =>
    setUploads((all) => all.map((one) => (one.key === key ? { ...one, ...fields } : one)));
  const remove = (key: string) => setUploads((all) => all.filter((one) => one.key !== key));

  const upload = async (file: File) => {
    const key = crypto.randomUUID();
    setUploads((all) => [...all, { key, name: file.name, progress: 0, assetId: null }]);
    try {
      const { id } = await client.assets.upload(file, {
        onProgress: ({ loaded, total }) => change(key, { progress: loaded / total }),
      });
      change(key, { assetId: id, progress: 1 });
    } catch (error) {
      remove(key);
      notifyError(error);
    }
  };

  return {
    uploads,
    add: (files: readonly File[]) => {
      const images = files.filter((file) => isAccepted(READABLE_IMAGES, file));
      const accepted = images.slice(0, MAX_IMAGES - uploads.length);
      if (images.length < files.length)
        notifyWarning(
          'Only images can be attached',
          `Supported: ${READABLE_IMAGES_IN_WORDS}. Add documents under Knowledge, then ask about them.`,
        );
      if (accepted.length < images.length)
        notifyWarning(`You can attach up to ${MAX_IMAGES} images`, 'Send the others with your next message.');
      for (const file of accepted) upload(file);
    },
    remove,
    clear: () => setUploads([]),
    isUploading: uploads.some(({ assetId }) => assetId === null),
    ids: uploads.flatMap(({ assetId }) => assetId ?? []),
  };
}

interface AttachmentChipsProps {
  uploads: readonly Upload[];
  onRemove: (key: string) => void;
}

export function AttachmentChips({ uploads, onRemove }: AttachmentChipsProps) {
  if (uploads.length === 0) return null;
  return (
    <div className={classes.chips}>
      {uploads.map(({ key, name, progress, assetId }) => (
        <div key={key} className={classes.chip}>
          {assetId === null && (
            <RingProgress
              size={18}
              thickness={3}
              sections={[{ value: progress * 100, color: 'indigo' }]}
              aria-label={`${Math.round(progress * 100)}% uploaded`}
            />
          )}
          <Text size="xs" truncate>
            {name}
          </Text>
          <CloseButton size="xs" onClick={() => onRemove(key)} aria-label={`Remove ${name}`} />
        </div>
      ))}
    </div>
  );
}
