import type { McpServer } from '@chorus/client';
import { PlusIcon, TrashIcon } from '@heroicons/react/24/outline';
import { ActionIcon, Button, Group, Input, PasswordInput, Stack, Switch, TagsInput, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { DialogForm } from '../../../components/form.tsx';
import { RecordDialog } from '../../../components/record-dialog.tsx';
import { useFormMutation } from '../../../data/use-form-mutation.ts';
import { t } from '../../../i18n/i18n.ts';
import { useScope } from '../../../scope/scope-context.tsx';
import { useMcpTools } from '../use-tool-sources.ts';
import { LeastApprovalSelect } from './least-approval-select.tsx';
import { StoredSecrets } from './stored-secrets.tsx';

interface McpServerDialogProps {
  server: McpServer | 'new' | null;
  onClose: () => void;
  onSaved: () => void;
}

export function McpServerDialog({ server, ...rest }: McpServerDialogProps) {
  return (
    <RecordDialog
      record={server}
      onClose={rest.onClose}
      titles={{ create: t('settings.addMcpServer'), edit: t('settings.mcpServer') }}
    >
      {(edited) => <McpServerForm server={edited} {...rest} />}
    </RecordDialog>
  );
}

interface Header {
  key: number;
  name: string;
  value: string;
}

function McpServerForm({
  server,
  onClose,
  onSaved,
}: Omit<McpServerDialogProps, 'server'> & { server: McpServer | null }) {
  const { client, scopeKey } = useScope();
  const queryClient = useQueryClient();
  const [name, setName] = useState(server?.name ?? '');
  const [url, setUrl] = useState(server?.url ?? '');
  const [allowed, setAllowed] = useState(server?.allowed_tools ?? []);
  const [enabled, setEnabled] = useState(server?.enabled ?? true);
  const [leastApproval, setLeastApproval] = useState(server?.min_approval ?? 'never');
  /** Null keeps the stored headers. */
  const [headers, setHeaders] = useState<Header[] | null>(server === null ? [] : null);
  const tools = useMcpTools(server?.id ?? '', server !== null);
  const { form, errors } = useFormMutation({
    send: () => {
      const allowed_tools = allowed.length === 0 ? null : allowed;
      const body = { name, url, enabled, min_approval: leastApproval, allowed_tools };
      const given = headers && {
        headers: Object.fromEntries(headers.map((one) => [one.name.trim(), one.value.trim()])),
      };
      return server === null
        ? client.mcpServers.create({ ...body, ...given })
        : client.mcpServers.update(server.id, { ...body, ...given });
    },
    fields: ['name', 'url', 'headers', 'allowed_tools'],
    onSuccess: () => {
      queryClient.removeQueries({ queryKey: [scopeKey, 'mcp-tools', server?.id] });
      onSaved();
      onClose();
    },
  });
  const isComplete = (headers ?? []).every((one) => one.name.trim() !== '' && one.value.trim() !== '');
  return (
    <DialogForm
      {...form}
      submitLabel={server === null ? t('components.add') : t('common.save')}
      onCancel={onClose}
      isIncomplete={name.trim() === '' || url.trim() === '' || !isComplete}
    >
      <TextInput
        label={t('common.name')}
        error={errors.name}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        maxLength={100}
        required
        data-autofocus
      />
      <TextInput
        label={t('components.address')}
        error={errors.url}
        description={t('settings.mcpAddressHint')}
        placeholder="https://mcp.example.org/mcp"
        type="url"
        value={url}
        onChange={(event) => setUrl(event.currentTarget.value)}
        maxLength={2_000}
        required
      />
      {headers === null ? (
        <StoredSecrets
          label={t('settings.headers')}
          description={t('settings.headersStoredHint')}
          error={errors.headers}
          names={server?.header_names ?? []}
          replaceLabel={t('settings.replaceHeaders')}
          onReplace={() => setHeaders([])}
        />
      ) : (
        <HeadersField headers={headers} onChange={setHeaders} error={errors.headers} />
      )}
      <TagsInput
        label={t('settings.allowedTools')}
        error={errors.allowed_tools}
        description={t('settings.allowedToolsHint')}
        data={tools.data?.map((tool) => tool.name) ?? []}
        value={allowed}
        onChange={setAllowed}
        maxTags={200}
      />
      <LeastApprovalSelect value={leastApproval} onChange={setLeastApproval} />
      <Switch
        label={t('settings.enabled')}
        description={t('settings.serverEnabledHint')}
        checked={enabled}
        onChange={(event) => setEnabled(event.currentTarget.checked)}
      />
    </DialogForm>
  );
}

interface HeadersFieldProps {
  headers: Header[];
  onChange: (headers: Header[]) => void;
  error: string | undefined;
}

function HeadersField({ headers, onChange, error }: HeadersFieldProps) {
  const edit = (key: number, change: Partial<Header>) =>
    onChange(headers.map((one) => (one.key === key ? { ...one, ...change } : one)));
  const add = () => onChange([...headers, { key: (headers.at(-1)?.key ?? 0) + 1, name: '', value: '' }]);
  return (
    <Input.Wrapper
      label={t('settings.headers')}
      error={error}
      description={t('settings.headersHint')}
      labelElement="div"
    >
      <Stack gap="xs" mt={6}>
        {headers.map(({ key, name, value }) => (
          <Group key={key} gap="xs" wrap="nowrap">
            <TextInput
              aria-label={t('settings.headerName')}
              placeholder="Authorization"
              value={name}
              onChange={(event) => edit(key, { name: event.currentTarget.value })}
              maxLength={100}
              flex={2}
              autoFocus
            />
            <PasswordInput
              aria-label={t('settings.headerValue')}
              placeholder="Bearer …"
              autoComplete="off"
              value={value}
              onChange={(event) => edit(key, { value: event.currentTarget.value })}
              maxLength={8_000}
              flex={3}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={t('settings.removeHeader')}
              onClick={() => onChange(headers.filter((one) => one.key !== key))}
            >
              <TrashIcon />
            </ActionIcon>
          </Group>
        ))}
        {headers.length < 20 && (
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<PlusIcon />}
            onClick={add}
            style={{ justifySelf: 'start' }}
            w="fit-content"
          >
            {t('settings.addHeader')}
          </Button>
        )}
      </Stack>
    </Input.Wrapper>
  );
}
