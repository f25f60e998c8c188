import { CheckIcon, ClipboardIcon } from '@heroicons/react/24/outline';
import { Button, Code, CopyButton, Group } from '@mantine/core';

export function Secret({ value }: { value: string }) {
  return (
    <Group wrap="nowrap" align="flex-start">
      <Code block flex={1} style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
        {value}
      </Code>
      <CopyButton value={value}>
        {({ copied, copy }) => (
          <Button onClick={copy} leftSection={copied ? <CheckIcon /> : <ClipboardIcon />} flex="none">
            {copied ? 'Copied' : 'Copy'}
          </Button>
        )}
      </CopyButton>
    </Group>
  );
}
