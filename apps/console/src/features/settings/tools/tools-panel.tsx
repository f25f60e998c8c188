import { Stack } from '@mantine/core';
import { ApisSection } from './apis-section.tsx';
import { McpServersSection } from './mcp-servers-section.tsx';

export default function ToolsPanel() {
  return (
    <Stack gap="xl">
      <McpServersSection />
      <ApisSection />
    </Stack>
  );
}
