import { CloseButton, RingProgress, Text } from '@mantine/core';
import classes from './composer.module.css';
import type { Upload } from './use-attachments.ts';

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
              aria-label={`${Math.round(progress * 100)}% stored`}
            />
          )}
          <Text size="xs" truncate>
            {name}
          </Text>
          <CloseButton size="xs" onClick={() => onRemove(key)} aria-label={`Take ${name} off`} />
        </div>
      ))}
    </div>
  );
}
