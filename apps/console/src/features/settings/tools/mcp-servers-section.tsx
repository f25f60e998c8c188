import type { McpServer } from '@chorus/client';
import { CommandLineIcon } from '@heroicons/react/24/outline';
import { Button, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { Dialog } from '../../../components/dialog.tsx';
import { EmptyState, QueryView } from '../../../components/placeholders.tsx';
import { t } from '../../../i18n/i18n.ts';
import { useScope } from '../../../scope/scope-context.tsx';
import { useRole } from '../../../scope/use-role.ts';
import { useMcpServers, useMcpTools } from '../use-tool-sources.ts';
import { McpServerDialog } from './mcp-server-dialog.tsx';
import { ToolList } from './tool-list.tsx';
import { SourceCard, SourceGrid, SourceSection } from './tool-source.tsx';

export function McpServersSection() {
  const { client, scopeKey } = useScope();
  const { isAtLeast } = useRole();
  const [edited, setEdited] = useState<McpServer | 'new' | null>(null);
  const servers = useMcpServers();
  return (
    <SourceSection
      title={t('settings.mcpServers')}
      description={t('settings.mcpServersHint')}
      addLabel={t('settings.addServer')}
      onAdd={() => setEdited('new')}
    >
      <QueryView query={servers}>
        {(all) =>
          all.length === 0 ? (
            <EmptyState title={t('settings.noMcpServersYet')} icon={CommandLineIcon}>
              {isAtLeast('admin') ? t('settings.noMcpServersHint') : t('settings.noMcpServersViewer')}
            </EmptyState>
          ) : (
            <SourceGrid>
              {all.map((server) => (
                <SourceCard
                  key={server.id}
                  source={server}
                  address={server.url}
                  facts={factsOf(server)}
                  tools={isAtLeast('editor') && <TestServer server={server} />}
                  onEdit={() => setEdited(server)}
                  onDelete={() => client.mcpServers.delete(server.id)}
                  queryKey={[scopeKey, 'mcp-servers']}
                />
              ))}
            </SourceGrid>
          )
        }
      </QueryView>
      <McpServerDialog server={edited} onClose={() => setEdited(null)} onSaved={servers.refetch} />
    </SourceSection>
  );
}

function factsOf({ header_names, allowed_tools }: McpServer): string {
  const headers =
    header_names.length === 0 ? t('settings.noHeaders') : t('settings.headersAre', { names: header_names.join(', ') });
  return allowed_tools === null
    ? headers
    : `${headers} · ${t('settings.toolsAllowed', { count: allowed_tools.length })}`;
}

function TestServer({ server }: { server: McpServer }) {
  const [isOpen, dialog] = useDisclosure();
  return (
    <>
      <Button size="compact-sm" variant="default" onClick={dialog.open}>
        {t('settings.test')}
      </Button>
      <Dialog opened={isOpen} onClose={dialog.close} title={t('settings.toolsOf', { name: server.name })} size="lg">
        <ServerTools server={server} />
      </Dialog>
    </>
  );
}

/** Connects to a server when it is shown. */
function ServerTools({ server }: { server: McpServer }) {
  const tools = useMcpTools(server.id, true);
  return (
    <QueryView query={tools}>
      {(found) => (
        <>
          <Text size="sm" mb="xs">
            {t('settings.serverOffers', { count: found.length })}
          </Text>
          <ToolList tools={found} />
        </>
      )}
    </QueryView>
  );
}
