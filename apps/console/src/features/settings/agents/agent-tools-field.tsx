import type { Agent } from '@chorus/client';
import { PlusIcon, TrashIcon } from '@heroicons/react/24/outline';
import {
  ActionIcon,
  Button,
  Card,
  Group,
  Input,
  Menu,
  MultiSelect,
  Select,
  SimpleGrid,
  Stack,
  TagsInput,
  Text,
} from '@mantine/core';
import { useState } from 'react';
import { Dimmed } from '../../../components/text.tsx';
import { useKnownTags, useModels } from '../../../data/queries.ts';
import { t } from '../../../i18n/i18n.ts';
import type { MessageKey } from '../../../i18n/messages.ts';
import { useMcpServers, useMcpTools, useToolApis } from '../use-tool-sources.ts';
import { ApprovalSelect } from './approval-field.tsx';

type Tool = Agent['tools'][number];
type ToolOf<Type extends Tool['type']> = Extract<Tool, { type: Type }>;

const BUILT_IN: { tool: Tool; label: MessageKey; description: MessageKey }[] = [
  {
    tool: { type: 'knowledge_search' },
    label: 'settings.searchDocuments',
    description: 'settings.searchDocumentsHint',
  },
  { tool: { type: 'web_fetch' }, label: 'settings.readWebPages', description: 'settings.readWebPagesHint' },
  { tool: { type: 'read_document' }, label: 'settings.readFiles', description: 'settings.readFilesHint' },
  { tool: { type: 'generate_image' }, label: 'settings.generateImages', description: 'settings.generateImagesHint' },
];

const MAX_TOOLS = 32;

interface AgentToolsFieldProps {
  value: readonly Tool[];
  onChange: (tools: Tool[]) => void;
}

export function AgentToolsField({ value, onChange }: AgentToolsFieldProps) {
  const nameOf = useToolNames();
  const replace = (index: number, tool: Tool) => onChange(value.map((one, at) => (at === index ? tool : one)));
  return (
    <Input.Wrapper label={t('settings.tools')} description={t('settings.toolsHint')} labelElement="div">
      <Stack gap="xs" mt={6}>
        {value.map((tool, index) => (
          <ToolCard
            key={keyOf(tool)}
            tool={tool}
            name={nameOf(tool)}
            onChange={(changed) => replace(index, changed)}
            onRemove={() => onChange(value.filter((_, at) => at !== index))}
          />
        ))}
        {value.length < MAX_TOOLS && <AddTool value={value} onAdd={(tool) => onChange([...value, tool])} />}
      </Stack>
    </Input.Wrapper>
  );
}

/** Returns the same key for entries that would offer the same tools. */
function keyOf(tool: Tool): string {
  if (tool.type === 'mcp') return tool.server_id;
  return tool.type === 'http' ? tool.api_id : tool.type;
}

function useToolNames(): (tool: Tool) => string {
  const servers = useMcpServers();
  const apis = useToolApis();
  return (tool) => {
    if (tool.type === 'mcp')
      return servers.data?.find(({ id }) => id === tool.server_id)?.name ?? t('settings.deletedMcpServer');
    if (tool.type === 'http') return apis.data?.find(({ id }) => id === tool.api_id)?.name ?? t('settings.deletedApi');
    const label = BUILT_IN.find((one) => one.tool.type === tool.type)?.label;
    return label === undefined ? tool.type : t(label);
  };
}

function AddTool({ value, onAdd }: { value: readonly Tool[]; onAdd: (tool: Tool) => void }) {
  const { data: servers = [] } = useMcpServers();
  const { data: apis = [] } = useToolApis();
  const used = new Set(value.map(keyOf));
  const groups = [
    {
      label: t('settings.builtIn'),
      items: BUILT_IN.map(({ tool, label, description }) => ({ tool, label: t(label), description: t(description) })),
    },
    {
      label: t('settings.mcpServers'),
      items: servers.map(({ id, name }) => ({
        tool: { type: 'mcp' as const, server_id: id },
        label: name,
        description: '',
      })),
    },
    {
      label: t('settings.apis'),
      items: apis.map(({ id, name }) => ({
        tool: { type: 'http' as const, api_id: id },
        label: name,
        description: '',
      })),
    },
  ];
  const free = groups
    .map((group) => ({ ...group, items: group.items.filter(({ tool }) => !used.has(keyOf(tool))) }))
    .filter(({ items }) => items.length > 0);
  if (free.length === 0) return null;
  return (
    <Menu position="bottom-start" withinPortal>
      <Menu.Target>
        <Button size="compact-sm" variant="default" leftSection={<PlusIcon />} w="fit-content">
          {t('settings.addTool')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown mah={320} style={{ overflowY: 'auto' }}>
        {free.map(({ label, items }) => (
          <div key={label}>
            <Menu.Label>{label}</Menu.Label>
            {items.map((item) => (
              <Menu.Item key={keyOf(item.tool)} onClick={() => onAdd(item.tool)}>
                {item.label}
                {item.description !== '' && <Dimmed size="xs">{item.description}</Dimmed>}
              </Menu.Item>
            ))}
          </div>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

interface ToolCardProps {
  tool: Tool;
  name: string;
  onChange: (tool: Tool) => void;
  onRemove: () => void;
}

function ToolCard({ tool, name, onChange, onRemove }: ToolCardProps) {
  return (
    <Card withBorder padding="xs" component="section" aria-label={name}>
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere', minWidth: 0 }}>
          {name}
          <Dimmed size="xs" span ms={6}>
            {KINDS[tool.type]}
          </Dimmed>
        </Text>
        <ActionIcon variant="subtle" color="gray" aria-label={t('common.removeName', { name })} onClick={onRemove}>
          <TrashIcon />
        </ActionIcon>
      </Group>
      {tool.type === 'knowledge_search' && <SearchOptions tool={tool} onChange={onChange} />}
      {tool.type === 'generate_image' && <ImageOptions tool={tool} onChange={onChange} />}
      {tool.type === 'mcp' && <McpOptions tool={tool} onChange={onChange} />}
      {tool.type === 'http' && <ApiOptions tool={tool} onChange={onChange} />}
    </Card>
  );
}

const KINDS: Partial<Record<Tool['type'], string>> = { mcp: 'MCP server', http: 'API' };

interface OptionsProps<Type extends Tool['type']> {
  tool: ToolOf<Type>;
  onChange: (tool: Tool) => void;
}

const orUndefined = (list: string[]) => (list.length === 0 ? undefined : list);

function SearchOptions({ tool, onChange }: OptionsProps<'knowledge_search'>) {
  const known = useKnownTags();
  return (
    <TagsInput
      mt="xs"
      label={t('components.tags')}
      description={t('settings.tagsHint')}
      data={known.tags}
      maxTags={50}
      value={tool.tags ?? []}
      onChange={(tags) => onChange({ type: tool.type, ...(tags.length > 0 && { tags }) })}
    />
  );
}

function ImageOptions({ tool, onChange }: OptionsProps<'generate_image'>) {
  const models = useModels('image');
  return (
    <Select
      mt="xs"
      label={t('common.model')}
      placeholder={t('common.defaultModel')}
      data={models.map(({ id }) => id)}
      value={tool.model ?? null}
      onChange={(model) => onChange({ type: tool.type, ...(model !== null && { model }) })}
      clearable
      searchable
    />
  );
}

function McpOptions({ tool, onChange }: OptionsProps<'mcp'>) {
  const [isAsked, setIsAsked] = useState(false);
  const tools = useMcpTools(tool.server_id, isAsked);
  const names = new Set([...(tools.data?.map(({ name }) => name) ?? []), ...(tool.allowed_tools ?? [])]);
  return (
    <ToolLimits
      label={t('settings.allowedTools')}
      names={[...names]}
      error={tools.error ? t('settings.serverSilent') : undefined}
      onFocus={() => setIsAsked(true)}
      value={tool.allowed_tools ?? []}
      onChange={(allowed) => onChange({ ...tool, allowed_tools: orUndefined(allowed) })}
      approval={tool.approval}
      onApproval={(approval) => onChange({ ...tool, approval })}
    />
  );
}

function ApiOptions({ tool, onChange }: OptionsProps<'http'>) {
  const { data: apis = [] } = useToolApis();
  const operations = apis.find(({ id }) => id === tool.api_id)?.operations ?? [];
  return (
    <ToolLimits
      label={t('settings.allowedOperations')}
      names={operations.map(({ name }) => name)}
      value={tool.operations ?? []}
      onChange={(allowed) => onChange({ ...tool, operations: orUndefined(allowed) })}
      approval={tool.approval}
      onApproval={(approval) => onChange({ ...tool, approval })}
    />
  );
}

interface ToolLimitsProps {
  label: string;
  names: string[];
  error?: string | undefined;
  onFocus?: () => void;
  value: string[];
  onChange: (names: string[]) => void;
  approval: Agent['approval'] | undefined;
  onApproval: (approval: Agent['approval'] | undefined) => void;
}

/** Which tools of a server or API the agent may use, and which calls need approval. */
function ToolLimits({ label, names, error, onFocus, value, onChange, approval, onApproval }: ToolLimitsProps) {
  const shared = { label, error, onFocus, value, onChange, placeholder: value.length === 0 ? t('settings.all') : '' };
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} mt="xs" spacing="xs">
      {names.length > 0 && error === undefined ? (
        <MultiSelect {...shared} data={names} maxValues={128} searchable />
      ) : (
        <TagsInput {...shared} data={names} maxTags={128} />
      )}
      <ApprovalSelect label={t('settings.approval')} inherits value={approval} onChange={onApproval} />
    </SimpleGrid>
  );
}
