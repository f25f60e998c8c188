import { Progress, Text } from '@mantine/core';
import type { UploadState } from '../data/use-upload.ts';

/** How far a file is on its way; nothing where there is none. */
export function UploadBar({ upload: { file, fraction } }: { upload: UploadState }) {
  if (file === null) return null;
  const percent = Math.round(fraction * 100);
  return (
    <div>
      <Text size="sm" truncate>
        {file.name}
      </Text>
      <Progress value={percent} aria-label={`${percent}% of ${file.name} are stored`} />
    </div>
  );
}
