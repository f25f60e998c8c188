import { CheckIcon, ClipboardIcon } from '@heroicons/react/24/outline';
import { Button, Code, CopyButton, Group } from '@mantine/core';
import { t } from '../i18n/i18n.ts';

export function Secret({ value }: { value: string }) {
  return (
    <Group wrap="nowrap" align="flex-start">
      <Code block flex={1} style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
        {value}
      </Code>
      <CopyButton value={value}>
        {({ copied, copy }) => (
          <Button onClick={copy} leftSection={copied ? <CheckIcon /> : <ClipboardIcon />} flex="none">
            {copied ? t('common.copied') : t('common.copy')}
          </Button>
        )}
      </CopyButton>
    </Group>
  );
}
